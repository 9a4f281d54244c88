#!/usr/bin/env bash
# Gives each service and each outside reader an account of the broker of its own, in a system of release 0.2.0:
#
#   deploy/broker-accounts.sh --env-file deploy/compose.env [--file … any option of `docker compose`]
#
# A running broker cannot move users to accounts, so the system stops for a minute or two. The script does these steps:
#   1. It stops the gateways, the services and the broker. Outside readers are disconnected.
#   2. It starts a broker with the same store that only this script can reach, and saves the streams and the positions of
#      readers to the folder SAVED.
#   3. It starts the broker with its accounts, restores the streams, and compares them with what was saved.
#   4. It starts the system in the version of the env file, with the migration, like `docker compose up`.
# If the script was interrupted, run it again: it continues at the same step. The streams of the former account stay in
# the volume of the broker. docs/upgrade.md has the way back.
set -euo pipefail
cd "$(dirname "$0")/.."

OPTIONS=("$@")
# The folder for the streams. It needs as much space as they do, and so does the volume of the broker.
SAVED=$(realpath -m "${SAVED:-deploy/saved-streams}")
# `yes`: do not ask before the system stops.
YES=${YES:-no}
# `yes`: also replace streams in the accounts that have other messages and consumers, after a way back.
REPLACE=${REPLACE:-}
# Seconds to wait until the broker has read its store.
PATIENCE=${PATIENCE:-180}

compose() { docker compose ${OPTIONS[@]+"${OPTIONS[@]}"} "$@"; }
say() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*"; }

# The former single account, for the operator only.
SINGLE_ACCOUNT='
max_payload: 8MB
jetstream { store_dir: $NATS_STORE_DIR, max_memory_store: 64MB, max_file_store: 10TB }
authorization { user: admin, password: $NATS_ADMIN_PASSWORD }
'
saver=$(compose config | sed -n 's/^name: //p')-nats-save
complete=$SAVED/complete

remove_saver() { docker rm --force "$saver" > /dev/null 2>&1 || true; }
trap remove_saver EXIT

# Runs `teaching move-streams` at this broker with further options.
move_streams() {
  local host=$1
  shift
  compose run --rm --no-deps -T --user "$(id -u):$(id -g)" --volume "$SAVED:/saved" --env "NATS_URL=nats://$host:4222" \
    migrate teaching move-streams --folder /saved "$@"
}

save_streams() {
  local end=$((SECONDS + PATIENCE))
  remove_saver
  compose run --detach --rm --no-deps --name "$saver" --env "SINGLE_ACCOUNT=$SINGLE_ACCOUNT" --entrypoint sh nats \
    -c 'printf %s "$SINGLE_ACCOUNT" > /tmp/nats.conf; exec nats-server --config /tmp/nats.conf' > /dev/null
  until docker logs "$saver" 2>&1 | grep -q 'Server is ready'; do
    if [ "$SECONDS" -ge "$end" ]; then
      docker logs "$saver" >&2
      say 'nats: the broker with the former account did not start; nothing was changed' >&2
      exit 1
    fi
    sleep 0.5
  done
  move_streams "$saver"
  docker stop "$saver" > /dev/null
  touch "$complete"
}

own=deploy/nats/installation
if [ ! -e "$own/nats.conf" ] && { [ -e deploy/nats/readers.json ] || [ -e deploy/nats/logins.json ]; }; then
  say 'nats: write the configuration with its readers and keys first: npm run -s cli -- nats config' >&2
  exit 1
fi
[ -e "$own/nats.conf" ] || own=deploy/nats
if ! grep -q '^accounts' "$own/nats.conf"; then
  say "nats: $own has no accounts yet. Write it again first: npm run -s cli -- nats config" >&2
  exit 1
fi
image=$(compose config gateway | sed -n '/^  gateway:/,/^  [a-z]/s/^    image: //p')
if ! docker image inspect "$image" > /dev/null 2>&1; then
  say "image $image is missing: building it, or pulling it as PULL requires"
  compose build --quiet migrate
fi

mkdir -p "$SAVED"
chmod 700 "$SAVED"
accounts=$(compose exec -T nats wget -qO- http://127.0.0.1:8222/accountz 2> /dev/null || true)
case $accounts in
  *'"CLAZZ"'*)
    if [ ! -e "$complete" ] && ! compose exec -T nats test -d '/data/jetstream/$G/streams'; then
      say 'nats: it has its accounts, and no streams of a single account'
      exit 0
    fi
    ;;
  *'"$G"'*)
    # Saved before the way back to the former account.
    rm -f "$complete"
    move_streams nats --dry-run
    ;;
esac

if [ ! -e "$complete" ]; then
  say 'this stops the gateways, the services and the broker, saves the streams, starts the broker with an account for'
  say "each service, restores the streams there, and starts the system with image $image; folder: $SAVED"
  if [ "$YES" != yes ]; then
    read -r -p 'Continue? [y/N] ' answer
    [ "$answer" = y ] || exit 1
  fi
  compose stop gateway clazz course package stats
  compose stop nats
  save_streams
fi
say 'nats: starting with its accounts'
compose up --detach --no-deps --wait nats
move_streams nats ${REPLACE:+--replace}
say 'starting the system'
compose up --detach --wait
say "done. When everything works, remove $SAVED, which has personal data, and the streams of the former account:"
say "docker compose exec nats rm -r '/data/jetstream/\$G'"
