#!/usr/bin/env bash
# Changes a running system to the version and the settings of the env file without a failed request:
#
#   deploy/upgrade.sh --env-file deploy/compose.env [--file … any option of `docker compose`]
#
# `docker compose up` would stop all instances of a service before it starts new ones. This script does these steps:
#   1. The broker reloads the permissions of its users.
#   2. The migration runs. Old code works with the new permissions and the new schema.
#   3. Each service, the gateways last, gets new instances beside the old ones. When the new instances are healthy, the
#      old ones are stopped; they complete the requests that they have started.
# If the script was interrupted, run it again: it continues at the same step. It does not change Postgres, the proxy,
# the backup, monitoring or other settings of NATS. `docker compose up` changes these; their restart interrupts service.
set -euo pipefail
cd "$(dirname "$0")/.."

OPTIONS=("$@")
# Seconds to wait until new instances are healthy.
PATIENCE=${PATIENCE:-180}
# Seconds until a new instance is in use. Gateways find it by its heartbeat, the proxy by DNS; both look once a second.
SETTLE=${SETTLE:-3}

compose() { docker compose ${OPTIONS[@]+"${OPTIONS[@]}"} "$@"; }
say() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*"; }

# Not `config --images gateway`: it also lists the images of the services that the gateway depends on, in any order.
image=$(compose config gateway | sed -n '/^  gateway:/,/^  [a-z]/s/^    image: //p')
if ! docker image inspect "$image" > /dev/null 2>&1; then
  say "image $image is missing: building it, or pulling it as PULL requires"
  compose build --quiet migrate
fi
image_id=$(docker image inspect --format '{{.Id}}' "$image")

# Prints the ids of the instances of a service whose image or settings differ from the wanted ones.
others() {
  local wanted id
  wanted=$(compose config --hash "$1" | cut -d ' ' -f 2)
  for id in $(compose ps --quiet "$1"); do
    [ "$(docker inspect --format '{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}' "$id")" = "$wanted $image_id" ] || echo "$id"
  done
}

# Waits until all instances of a service are healthy, except those in the second argument, which will be replaced.
are_healthy() {
  local id end=$((SECONDS + PATIENCE))
  for id in $(compose ps --quiet "$1"); do
    grep -q "$id" <<< "$2" && continue
    until [ "$(docker inspect --format '{{.State.Health.Status}}' "$id")" = healthy ]; do
      [ "$SECONDS" -lt "$end" ] || return 1
      sleep 1
    done
  done
}

roll() {
  local service=$1 old all count missing
  old=$(others "$service")
  all=$(compose ps --quiet "$service")
  if [ -z "$old" ]; then
    say "$service: up to date"
    return
  fi
  count=$(wc -w <<< "$old")
  # New instances that an earlier run has started count.
  missing=$((2 * count - $(wc -w <<< "$all")))
  [ "$missing" -gt 0 ] || missing=0
  say "$service: replacing $count instances, starting $missing"
  # The script waits for new instances only: the old ones may be unhealthy, and this upgrade may be the repair.
  if ! compose up --detach --no-deps --no-build --no-recreate --scale "$service=$(($(wc -w <<< "$all") + missing))" "$service" ||
    ! are_healthy "$service" "$old"; then
    compose logs --no-log-prefix --tail 20 "$service" >&2 || true
    for id in $(compose ps --all --quiet "$service"); do
      grep -q "$id" <<< "$all" || docker rm --force "$id" > /dev/null
    done
    say "$service: the new instances did not become healthy and were removed; the old ones still run" >&2
    exit 1
  fi
  sleep "$SETTLE"
  for id in $old; do
    docker stop --time 30 "$id" > /dev/null
    docker rm "$id" > /dev/null
    say "$service: replaced one instance"
  done
}

reload_broker() {
  local id since own=deploy/nats/installation/nats.conf
  if ! compose exec -T nats wget -qO- http://127.0.0.1:8222/accountz | grep -q '"CLAZZ"'; then
    say 'nats: it has one account for all services, as in release 0.2.0. Run deploy/broker-accounts.sh with the same options instead (docs/upgrade.md)' >&2
    exit 1
  fi
  # Readers and keys of an installation of release 0.2.0, which are not part of its new configuration yet.
  if [ ! -e "$own" ] && { [ -e deploy/nats/readers.json ] || [ -e deploy/nats/logins.json ]; }; then
    say 'nats: write the configuration with its readers and keys first: npm run -s cli -- nats config' >&2
    exit 1
  fi
  if [ -e "$own" ] && ! compose exec -T nats grep -q installation /proc/1/cmdline; then
    say 'nats: it still uses the configuration of the release. Restart it first: docker compose up --detach --no-deps --force-recreate nats' >&2
    exit 1
  fi
  id=$(compose ps --quiet nats)
  since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  # The signal is sent from inside the container. After a signal from outside, Docker regards the container as stopped
  # by hand and no longer applies its restart policy.
  compose exec -T nats nats-server --signal reload=1
  for _ in {1..20}; do
    if docker logs --since "$since" "$id" 2>&1 | grep -q 'Reloaded server configuration'; then
      say 'nats: reloaded the permissions of its users'
      return
    fi
    sleep 0.5
  done
  docker logs --since "$since" "$id" >&2
  say 'nats: cannot reload its new configuration while it runs; nothing was changed' >&2
  exit 1
}

reload_broker
say "migration of $image"
compose run --rm --no-deps migrate
for service in clazz course package stats gateway; do roll "$service"; done
say 'done'
