# One process: the service with its embedded database in /data, or with PostgreSQL when DATABASE_URL is set.
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY bin ./bin
COPY config ./config
COPY migrations ./migrations
COPY src ./src
RUN mkdir /data && chown node:node /data
USER node
ENV ASSAY_DATA=/data ASSAY_CONFIG=/app/config/docker.yaml
VOLUME /data
EXPOSE 4318
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4318/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve"]
