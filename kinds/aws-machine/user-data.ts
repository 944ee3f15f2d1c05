/**
 * Bootstrap data on its way to a machine: it waits in one-shot secrets, and the user data of the instance is only a pointer
 * to them, for user data can be read by anything that runs on the machine.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const chunkSize = 7000;

export interface BootstrapSecrets {
  prefix: string;
  /** Base64, one a secret. */
  chunks: string[];
}

/** The common name prefix of the secrets of a launch: as unguessable as its token. */
export const secretPrefix = (token: string): string => {
  const hex = createHash('sha256').update(`secret\n${token}`).digest('hex');
  return `aws.cluster.x-k8s.io/${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const splitForSecrets = (prefix: string, data: Uint8Array): BootstrapSecrets => {
  const compressed = gzipSync(data);
  const chunks: string[] = [];
  for (let at = 0; at < compressed.length; at += chunkSize)
    chunks.push(compressed.subarray(at, at + chunkSize).toString('base64'));
  return { prefix, chunks };
};

export const secretNames = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

// Runs early, as root, with the instance's own role. cloud-init then reads the file that the second part names.
const fetchScript = (region: string, prefix: string, count: number): string => `#!/bin/bash
set -euo pipefail
umask 0077

REGION="${region}"
SECRET_PREFIX="${prefix}"
CHUNKS="${count}"
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

fetch() {
  aws secretsmanager get-secret-value --region "$REGION" --secret-id "$1" \\
    --query SecretBinary --output text > "$WORK/encoded" && base64 --decode < "$WORK/encoded" > "$WORK/data.gz.part"
}

: > "$WORK/data.gz"
for INDEX in $(seq 0 $((CHUNKS - 1))); do
  retry fetch "$SECRET_PREFIX-$INDEX"
  cat "$WORK/data.gz.part" >> "$WORK/data.gz"
done

gunzip --stdout "$WORK/data.gz" > "$TARGET.new"
mv "$TARGET.new" "$TARGET"

for INDEX in $(seq 0 $((CHUNKS - 1))); do
  retry aws secretsmanager delete-secret --region "$REGION" --secret-id "$SECRET_PREFIX-$INDEX" \\
    --force-delete-without-recovery > /dev/null || true
done
`;

const boundary = 'capstan-bootstrap';

/** The pointer, as a MIME document that cloud-init reads. */
export const pointerTo = (region: string, { prefix, chunks }: { prefix: string; chunks: number }): string =>
  [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/cloud-boothook; charset="us-ascii"',
    '',
    fetchScript(region, prefix, chunks),
    `--${boundary}`,
    'Content-Type: text/x-include-url; charset="us-ascii"',
    '',
    'file:///etc/secret-userdata.txt',
    '',
    `--${boundary}--`,
    '',
  ].join('\n');

/** The data itself as user data, in plain sight. */
export const plainUserData = (data: Uint8Array, uncompressed: boolean): Buffer =>
  uncompressed ? Buffer.from(data) : gzipSync(data);
