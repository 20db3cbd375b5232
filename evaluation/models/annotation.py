"""Annotation: projects of a team, their items, and what people said of them. Labels and events are only ever added."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.models.facts import FactRecord
from evaluation.models.runs import RunItem
from memory.models import ConflictRecord, Space, Turn


class ReviewRole(models.TextChoices):
    """What a person may do in the projects of a space: each may do what those below may, but for labelling.

    Owners of the space are owners here. An annotator reads items and their own labels, and nothing of the memory. A reader
    reads results and labels nothing.
    """

    OWNER = "owner"
    CURATOR = "curator"
    ANNOTATOR = "annotator"
    READER = "reader"


class ReviewMember(models.Model):
    """A person's part in the annotation of a space. It gives no access to the space's memory."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="review_members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="review_memberships")
    role = models.CharField(max_length=10, choices=ReviewRole.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="review_member_once")]


class ReviewInvitation(models.Model):
    """A link that lets whoever opens it first take a role. Only the digest of its secret is kept."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="review_invitations")
    role = models.CharField(max_length=10, choices=ReviewRole.choices)
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    taken_at = models.DateTimeField(null=True)


class ProjectOrder(models.TextChoices):
    """Which items come first: as they were drawn, by turns of their strata, or where machines are unsure or disagree."""

    RANDOM = "random"
    STRATIFIED = "stratified"
    UNCERTAIN = "uncertain"
    DISAGREEMENT = "disagreement"


class AnnotationProject(models.Model):
    """Items of one kind, of which each is labelled by `annotators` people who do not see one another's labels.

    One item in `gold_every` of those that a person is given is a gold check, none where it is 0.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="annotation_projects")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=40)
    annotators = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(1), MaxValueValidator(9)])
    gold_every = models.PositiveSmallIntegerField(default=0)
    order = models.CharField(max_length=12, choices=ProjectOrder.choices, default=ProjectOrder.RANDOM)
    lease_minutes = models.PositiveSmallIntegerField(default=30)
    is_closed = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-created_at"], name="annotation_of_space")]

    def __str__(self) -> str:
        return self.name


class Guideline(models.Model):
    """A version of a project's guideline, from 1. Versions are only added; the latest counts."""

    project = models.ForeignKey(AnnotationProject, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="guideline_version_once")]
        ordering = ["version"]


class ItemStanding(models.TextChoices):
    """`OPEN` wants labels, `DISPUTED` an adjudication, `AGREED` and `SETTLED` nothing more; `WITHDRAWN` counts nowhere."""

    OPEN = "open"
    DISPUTED = "disputed"
    AGREED = "agreed"
    SETTLED = "settled"
    WITHDRAWN = "withdrawn"


class AnnotationItem(models.Model):
    """One thing to label. `content` is what the kind shows, `machine` the machine's answer, null where there is none.

    `place` orders the items of a project, the first first. `wants` is how many labels are still missing. A gold check has
    its answer in `gold`; it wants a label of everybody, and is in no figure but their accuracy. `pattern` sums up who said
    what, so that figures need no labels: it changes with them, in one transaction. `stratum` is what stratified sampling
    draws by, `cluster` what is drawn together in intervals (a dialogue).

    An item goes with the turn (and the one before it), the fact or the conflict that it shows, so that nothing keeps words
    that were forgotten.
    """

    project = models.ForeignKey(AnnotationProject, on_delete=models.CASCADE, related_name="items")
    place = models.FloatField()
    key = models.CharField(max_length=200)
    dataset = models.CharField(max_length=120, blank=True)
    stratum = models.CharField(max_length=120, blank=True)
    cluster = models.CharField(max_length=200, blank=True)
    content = models.JSONField()
    machine = models.JSONField(null=True)
    machine_by = models.CharField(max_length=200, blank=True)
    gold = models.JSONField(null=True)
    standing = models.CharField(max_length=10, choices=ItemStanding.choices, default=ItemStanding.OPEN)
    wants = models.PositiveSmallIntegerField()
    final = models.JSONField(null=True)
    pattern = models.TextField(default="{}")
    why = models.TextField(blank=True)
    source = models.JSONField(default=dict)
    run_item = models.ForeignKey(RunItem, null=True, on_delete=models.SET_NULL, related_name="annotation_items")
    turn = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="+")
    before = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="+")
    fact = models.ForeignKey(FactRecord, null=True, on_delete=models.CASCADE, related_name="+")
    conflict = models.ForeignKey(ConflictRecord, null=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="annotation_item_once")]
        indexes = [
            models.Index(
                fields=["project", "place"],
                condition=Q(standing="open", gold__isnull=True),
                name="annotation_item_open",
            ),
            models.Index(
                fields=["project", "place"],
                condition=Q(gold__isnull=False) & ~Q(standing="withdrawn"),
                name="annotation_item_gold",
            ),
            models.Index(
                fields=["project", "place"], condition=Q(standing="disputed"), name="annotation_item_disputed"
            ),
            models.Index(
                fields=["project", "dataset", "pattern"],
                condition=Q(gold__isnull=True, standing__in=["agreed", "disputed", "settled"]),
                name="annotation_item_counted",
            ),
            models.Index(
                fields=["project", "-id"],
                condition=Q(gold__isnull=True, standing__in=["disputed", "agreed", "settled", "withdrawn"]),
                name="annotation_item_ended",
            ),
            models.Index(
                fields=["project", "standing"],
                include=["wants", "dataset"],
                condition=Q(gold__isnull=True),
                name="annotation_item_standing",
            ),
        ]


class ItemLease(models.Model):
    """An item that was given to a person, until it expires; `token` is what their page answers with.

    `guideline` is the version that they read with it.
    """

    item = models.ForeignKey(AnnotationItem, on_delete=models.CASCADE, related_name="leases")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    guideline = models.ForeignKey(Guideline, on_delete=models.CASCADE, related_name="+")
    token = models.UUIDField(unique=True)
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "user"], name="item_lease_once")]


class QueuePlace(models.Model):
    """How far a person came in a project: the place of the last item given to them, and how many items, gold checks too."""

    project = models.ForeignKey(AnnotationProject, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    place = models.FloatField(default=-1.0)
    given = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="queue_place_once")]


class Annotation(models.Model):
    """What one person said of one item under one version of the guideline. One that was taken back has `undone_at`.

    `sent_as` is the page's own number of the answer: one that is sent twice is stored once. `name` is how the person was
    called, so that the label stays credited when the account is gone; one that came with a file has a name alone. Since
    `revealed_at` they know what others and the machine say of the item, and cannot take the label back.
    """

    item = models.ForeignKey(AnnotationItem, on_delete=models.CASCADE, related_name="annotations")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150)
    guideline = models.ForeignKey(Guideline, on_delete=models.RESTRICT, related_name="+")
    answer = models.JSONField()
    comment = models.TextField(blank=True)
    milliseconds = models.PositiveIntegerField(null=True)
    sent_as = models.UUIDField(unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True)
    revealed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "name"], condition=Q(undone_at=None), name="annotation_once_a_person"
            )
        ]
        indexes = [
            models.Index(fields=["by", "-created_at"], name="annotation_of_person"),
            models.Index(
                fields=["guideline", "name"],
                include=["created_at"],
                condition=Q(undone_at=None),
                name="annotation_by_name",
            ),
        ]


class ItemSkip(models.Model):
    """An item that a person passed over, with why. It comes back to them at the end of the queue, and to others as before."""

    item = models.ForeignKey(AnnotationItem, on_delete=models.CASCADE, related_name="skips")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "by"], name="item_skip_once")]


class Settlement(models.Model):
    """What settles a disputed item, with its reason. Rows are only added: the latest counts."""

    item = models.ForeignKey(AnnotationItem, on_delete=models.CASCADE, related_name="settlements")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150)
    answer = models.JSONField()
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["item", "-id"], name="settlement_latest")]


class ReviewEvent(models.Model):
    """What somebody did in the annotation of a space. Rows are never changed.

    `what` is a short name ("label", "undo", "settle", "export", "invite" ...), `about` what it was done to. Who took the
    labels of open items out ("unblind") labels nothing more in that project.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="review_events")
    project = models.ForeignKey(AnnotationProject, null=True, on_delete=models.CASCADE, related_name="events")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150)
    what = models.CharField(max_length=20)
    about = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["space", "-id"], name="review_event_of_space"),
            models.Index(fields=["project", "-id"], name="review_event_of_project"),
            models.Index(fields=["project", "by"], condition=Q(what="unblind"), name="review_event_unblinding"),
        ]


class MachinePass(models.Model):
    """The machine's answers to the items of a project, given by an engine in the order in which the items were added.

    `after` is the last item that it has come to, `failed` how many it could not answer, `attempts` how many workers took it
    since it came on, `why` what stopped it. The worker that holds `lease_token` until `lease_until` is the only one at work.
    """

    project = models.OneToOneField(AnnotationProject, on_delete=models.CASCADE, related_name="machine_pass")
    engine = models.CharField(max_length=200, blank=True)
    is_done = models.BooleanField(default=False)
    after = models.BigIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    why = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    asked_at = models.DateTimeField(default=timezone.now)
