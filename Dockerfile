# The product as an image: `docker build -t dsmart .`. One image for web servers and workers; compose.yaml starts them.
# --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu128 for workers that load models on a GPU of their own.
# --build-arg PYTHON_IMAGE=python@sha256:... for the very image that you looked at; docs/deployment.md says how it is found.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
COPY requirements.txt requirements.lock ./
# The index of torch has builds without CUDA, which are a tenth of the size; everything else is as it is locked.
RUN pip install --require-hashes --no-deps -r requirements.lock \
 && version="$(sed -n 's/^torch==//p' requirements.txt)" \
 && pip install --extra-index-url "$TORCH_INDEX" "torch==${version}"
COPY . .
# The page's own packages, the sentence encoder and the static files are made once, here.
ENV DSMART_HOME=/data
RUN python -m dsmart_web.embedded.front_end \
 && python -m memory.adapters.embedding_export /data/models \
 && DSMART_SECRET_KEY=while-it-is-built DJANGO_SETTINGS_MODULE=dsmart_web.settings python -c \
    "import django; django.setup(); from dsmart_web.embedded.preparation import static_collect; static_collect()"

FROM ${PYTHON_IMAGE}
# Word senses. The distribution's release has one version of it.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends wordnet-base \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home dsmart
WORKDIR /app
COPY --from=build /venv /venv
COPY --from=build --chown=dsmart:dsmart /app /app
COPY --from=build --chown=dsmart:dsmart /data /data
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 \
    DSMART_HOME=/data DSMART_LOG_FORMAT=json
USER 10001
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 CMD ["python", "-m", "dsmart_web.probe"]
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8080"]
