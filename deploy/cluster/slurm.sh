#!/bin/bash
# A run on the nodes of a Slurm job: Redis and the command on the first node, a worker on each.
#   sbatch --nodes 8 --cpus-per-task 16 slurm.sh train data.csv --out model.safetensors
#SBATCH --ntasks-per-node=1
#SBATCH --time=04:00:00
set -euo pipefail

password=$(head -c 24 /dev/urandom | base64 | tr -d '/+=')
host=$(hostname)
port=$((20000 + SLURM_JOB_ID % 20000))
threads=${SLURM_CPUS_PER_TASK:-1}
blobs=$HOME/.cache/vouch-blobs
export VOUCH_CLUSTER="redis://:$password@$host:$port"

# The password is in the environment and on standard input, and not in the list of processes.
redis-server - <<CONFIGURATION &
port $port
requirepass $password
maxmemory-policy noeviction
appendonly no
save ""
CONFIGURATION
redis=$!
workers=
trap 'kill $redis $workers 2>/dev/null || true' EXIT
until (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; do
  kill -0 "$redis" # Ends the job if Redis has failed.
  sleep 0.2
done

# A folder that all nodes mount keeps the data: Redis has only messages to pass.
srun --ntasks="$SLURM_NNODES" --cpus-per-task="$threads" --overlap \
  vouch worker --threads "$threads" --blobs "$blobs" --quiet &
workers=$!

vouch "$@" --blobs "$blobs" --wait 5m
