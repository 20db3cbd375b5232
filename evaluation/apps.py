from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"
    belongs_through = {
        "FactGround": "check_of",
        "FactRecord": "check_of",
        "RunCase": "run",
        "RunItem": "run",
        "ItemScore": "item",
        "ScoreOverride": "item",
        "Guideline": "project",
        "AnnotationItem": "project",
        "ItemLease": "item",
        "QueuePlace": "project",
        "Annotation": "item",
        "ItemSkip": "item",
        "Settlement": "item",
        "MachinePass": "project",
    }
    gives_access = {"ReviewMember"}

    def ready(self) -> None:
        from evaluation import dispatch  # noqa: F401 (connects the scores to the end of a round)
