/**
 * Passes bootstrap data to a machine: one-shot secrets hold the data and the instance's user data
 * only points to them, because any process on the machine can read user data.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export type Backend = 'secrets-manager' | 'ssm-parameter-store';

/** Bytes in a secret. A parameter holds 4000 characters of base64. */
const chunkSizes: Record<Backend, number> = { 'secrets-manager': 7000, 'ssm-parameter-store': 3000 };
const roots: Record<Backend, string> = {
  'secrets-manager': 'aws.cluster.x-k8s.io',
  'ssm-parameter-store': '/cluster.x-k8s.io',
};
/** The backend of secrets with this name or prefix. */
export const backendOf = (name: string): Backend => (name.startsWith('/') ? 'ssm-parameter-store' : 'secrets-manager');

export interface BootstrapSecrets {
  prefix: string;
  /** Base64, one for each secret. */
  chunks: string[];
}

/** The common prefix of a launch's secret names: as unguessable as its token. */
export const secretPrefix = (token: string, backend: Backend): string => {
  const hex = createHash('sha256').update(`secret\n${token}`).digest('hex');
  return `${roots[backend]}/${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const splitForSecrets = (prefix: string, data: Uint8Array): BootstrapSecrets => {
  const compressed = gzipSync(data);
  const chunkSize = chunkSizes[backendOf(prefix)];
  const chunks: string[] = [];
  for (let at = 0; at < compressed.length; at += chunkSize)
    chunks.push(compressed.subarray(at, at + chunkSize).toString('base64'));
  return { prefix, chunks };
};

export const secretNames = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const fetchCommands: Record<Backend, string> = {
  'secrets-manager': `aws secretsmanager get-secret-value --region "$REGION" --secret-id "$1" \\
    --query SecretBinary --output text`,
  'ssm-parameter-store': `aws ssm get-parameter --region "$REGION" --name "$1" --with-decryption \\
    --query Parameter.Value --output text`,
};
const deleteCommands: Record<Backend, string> = {
  'secrets-manager': `aws secretsmanager delete-secret --region "$REGION" --secret-id "$SECRET_PREFIX-$INDEX" \\
    --force-delete-without-recovery`,
  'ssm-parameter-store': `aws ssm delete-parameter --region "$REGION" --name "$SECRET_PREFIX-$INDEX"`,
};

/** All instances of one call have the same user data; their position in it tells them apart. */
const launchIndexScript = `
BY_LAUNCH_INDEX="true"

metadata() {
  curl --silent --show-error --fail --max-time 5 "$@"
}

launch_index() {
  local session
  session="$(metadata -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token)" &&
    metadata -H "X-aws-ec2-metadata-token: $session" \\
      http://169.254.169.254/latest/meta-data/ami-launch-index > "$WORK/launch-index"
}

retry launch_index
SECRET_PREFIX="$SECRET_PREFIX-$(cat "$WORK/launch-index")"
`;

const fetchOnce = `: > "$WORK/data.gz"
for INDEX in $(seq 0 $((CHUNKS - 1))); do
  retry fetch "$SECRET_PREFIX-$INDEX"
  cat "$WORK/data.gz.part" >> "$WORK/data.gz"
done
`;

/** The chunks may be replaced between two reads; the checksum of the whole shows that they belong together. */
const fetchConsistently = `fetch_all() {
  : > "$WORK/data.gz"
  for INDEX in $(seq 0 $((CHUNKS - 1))); do
    retry fetch "$SECRET_PREFIX-$INDEX" || return 1
    cat "$WORK/data.gz.part" >> "$WORK/data.gz"
  done
  gunzip --test "$WORK/data.gz"
}
retry fetch_all
`;

const deleteOwn = (prefix: string): string => `
for INDEX in $(seq 0 $((CHUNKS - 1))); do
  ${deleteCommands[backendOf(prefix)]} > /dev/null || true
done
`;

// The script runs early, as root, with the instance's role. cloud-init looks for the file that the
// second part names before it runs scripts, so the script restarts cloud-init, which ends the
// script. A role without permission to delete does not block the boot: the controller deletes the
// rest when the node has registered, or after a timeout.
const fetchScript = (region: string, { prefix, chunks, byLaunchIndex, isShared }: Pointer): string => `#!/bin/bash
set -euo pipefail
umask 0077

REGION="${region}"
SECRET_PREFIX="${prefix}"
CHUNKS="${chunks}"
TARGET="/etc/secret-userdata.txt"

if [ -s "$TARGET" ]; then
  exit 0
fi

WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT

retry() {
  local attempt
  for attempt in $(seq 1 10); do
    "$@" && return 0
    sleep "$attempt"
  done
  echo "gave up: $*" >&2
  return 1
}
${byLaunchIndex ? launchIndexScript : ''}
fetch() {
  ${fetchCommands[backendOf(prefix)]} > "$WORK/encoded" && base64 --decode < "$WORK/encoded" > "$WORK/data.gz.part"
}

${isShared ? fetchConsistently : fetchOnce}
gunzip --stdout "$WORK/data.gz" > "$TARGET.new"
mv "$TARGET.new" "$TARGET"
${isShared ? '' : deleteOwn(prefix)}
rm -rf "$WORK"
systemctl restart cloud-init
`;

const boundary = 'capstan-bootstrap';

interface Pointer {
  prefix: string;
  chunks: number;
  /** The launch index follows the prefix. */
  byLaunchIndex?: boolean;
  /** Further instances read the same secrets, whose values change: they stay. */
  isShared?: boolean;
}

/** The pointer as a MIME document for cloud-init. */
export const pointerTo = (region: string, pointer: Pointer): string =>
  [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/cloud-boothook; charset="us-ascii"',
    '',
    fetchScript(region, pointer),
    `--${boundary}`,
    'Content-Type: text/x-include-url; charset="us-ascii"',
    '',
    'file:///etc/secret-userdata.txt',
    '',
    `--${boundary}--`,
    '',
  ].join('\n');

/** The data itself as user data, unencrypted. */
export const plainUserData = (data: Uint8Array, uncompressed: boolean): Buffer =>
  uncompressed ? Buffer.from(data) : gzipSync(data);

/** A message in parts, as cloud-init knows it. */
export const isMime = (data: Uint8Array): boolean =>
  /^mime-version:/im.test(Buffer.from(data.subarray(0, 4096)).toString());
