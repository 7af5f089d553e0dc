FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm exec --yes --package pnpm@10.34.9 -- pnpm install --frozen-lockfile \
  && npm exec --yes --package pnpm@10.34.9 -- pnpm build

FROM node:20-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --create-home --home-dir /var/lib/agentflow agentflow \
  && chmod 711 /var/lib/agentflow
WORKDIR /app
COPY --from=build /app /app
USER agentflow
ENV NODE_ENV=production
ENTRYPOINT ["node", "/app/apps/cli/bin/agentflow.mjs"]
