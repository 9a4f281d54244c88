#!/usr/bin/env bash
# Brings the version of the env file, or other settings of it, into a running system without a failed request:
#
#   deploy/upgrade.sh --env-file deploy/compose.env [--file … any option of `docker compose`]
#
# `docker compose up` would stop all copies of a service before it starts new ones. Here the broker reads what each user may, the
# migration runs (old code runs under the new rights and on the new schema), then each service, the gateways last, gets new copies beside the old ones, and only when these are healthy are
# the old ones told to stop; they end what they have begun. Run again after whatever broke it off, it goes on where it was.
# Otherwise Postgres, NATS, the proxy, the backup and what watches stay as they are: theirs are changed by `docker compose up`, with the pause that a restart is.
set -euo pipefail
cd "$(dirname "$0")/.."

OPTIONS=("$@")
PATIENCE=${PATIENCE:-180}
# Gateways are told by a copy's heartbeat, and the proxy by its name, that it is there; each looks once a second.
SETTLE=${SETTLE:-3}

compose() { docker compose ${OPTIONS[@]+"${OPTIONS[@]}"} "$@"; }
say() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*"; }

# `config --images gateway` names those of what it depends on, too, in any order.
image=$(compose config gateway | sed -n '/^  gateway:/,/^  [a-z]/s/^    image: //p')
if ! docker image inspect "$image" > /dev/null 2>&1; then
  say "$image is not here: it is made, or fetched where PULL says so"
  compose build --quiet migrate
fi
image_id=$(docker image inspect --format '{{.Id}}' "$image")

# Copies of a service that run with another image or other settings than are wanted now.
others() {
  local wanted id
  wanted=$(compose config --hash "$1" | cut -d ' ' -f 2)
  for id in $(compose ps --quiet "$1"); do
    [ "$(docker inspect --format '{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}' "$id")" = "$wanted $image_id" ] || echo "$id"
  done
}

# Waits until all copies of a service are healthy, but those that are to be replaced.
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
    say "$service: as it should be"
    return
  fi
  count=$(wc -w <<< "$old")
  # What an earlier run has started counts.
  missing=$((2 * count - $(wc -w <<< "$all")))
  [ "$missing" -gt 0 ] || missing=0
  say "$service: $count to be replaced, $missing to be started"
  # Only the new ones are waited for: the old ones may be what is to be mended.
  if ! compose up --detach --no-deps --no-build --no-recreate --scale "$service=$(($(wc -w <<< "$all") + missing))" "$service" ||
    ! are_healthy "$service" "$old"; then
    compose logs --no-log-prefix --tail 20 "$service" >&2 || true
    for id in $(compose ps --all --quiet "$service"); do
      grep -q "$id" <<< "$all" || docker rm --force "$id" > /dev/null
    done
    say "$service: the new ones do not become healthy and were removed; the old ones serve on" >&2
    exit 1
  fi
  sleep "$SETTLE"
  for id in $old; do
    docker stop --time 30 "$id" > /dev/null
    docker rm "$id" > /dev/null
    say "$service: replaced one"
  done
}

reload_broker() {
  local id since
  id=$(compose ps --quiet nats)
  since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  # From inside: a container that gets a signal from outside counts as stopped by hand, and its restart policy no longer applies.
  compose exec -T nats nats-server --signal reload=1
  for _ in {1..20}; do
    if docker logs --since "$since" "$id" 2>&1 | grep -q 'Reloaded server configuration'; then
      say 'nats: knows what each user may'
      return
    fi
    sleep 0.5
  done
  docker logs --since "$since" "$id" >&2
  say 'nats: does not take its new configuration while it runs; nothing was changed' >&2
  exit 1
}

reload_broker
say "migration of $image"
compose run --rm --no-deps migrate
for service in clazz course package stats gateway; do roll "$service"; done
say 'done'
