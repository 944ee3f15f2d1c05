/** The host that starts etcd on a snapshot, instead of on nothing. Pure. */
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import { revisionBump } from '../../core/contract/restore.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { WriteFile } from './cloud-config.ts';
import type { KubeadmConfig, KubeadmConfigSpec } from './index.ts';

/** On a KubeadmConfig: the snapshot that its host starts with, as JSON. Reserved for controllers. */
export const restoreAnnotation = 'capstan.dev/restore-etcd';

export interface SnapshotFile {
  location: string;
  /** sha256: and a hexadecimal hash. */
  checksum: string;
  /** Of another cluster's snapshot: kubeadm writes its add-ons, with the endpoint of this cluster. */
  isCopy?: true;
}

/** Seconds. A host reads the link minutes after its launch. */
const linkLasts = 6 * 3600;
/**
 * Seconds until the link is renewed while no host is launched, which may wait long for capacity. A link
 * ends with the session that signed it, whose end is not known here.
 */
const linkPeriod = 5 * 60;

/** On the Secret with the user data: when the link in it was signed. */
export const linkSignedAnnotation = 'capstan.dev/link-signed';

/** Milliseconds from now until the link in the user data is renewed; of a Secret that does not say, now. */
export const linkDueIn = ({ metadata }: Secret, now: number): number => {
  const signed = Date.parse(metadata.annotations?.[linkSignedAnnotation] ?? '') || 0;
  return Math.max(0, signed + linkPeriod * 1000 - now);
};

/** Undefined for a host that starts without a snapshot; an unreadable annotation names none. */
export const snapshotFileOf = ({ metadata }: KubeadmConfig): SnapshotFile | undefined => {
  try {
    const file = JSON.parse(metadata.annotations?.[restoreAnnotation] ?? 'null') as SnapshotFile | null;
    return typeof file?.location === 'string' && typeof file.checksum === 'string' ? file : undefined;
  } catch {
    return undefined;
  }
};

export const askLink = (read: Reader, { location }: SnapshotFile): Read<{ url: string }> =>
  askSnapshots(read, 'Link', { location, seconds: linkLasts });

const defaultDataDir = '/var/lib/etcd';
const path = '/run/capstan/restore-etcd.sh';
/** Runs before kubeadm, which must not run if it fails. */
export const restoreCommand = (config: string): string => `sh ${path} ${config}`;

/**
 * kubeadm finds etcd's directory full, which is the purpose, and leaves the add-ons of the same cluster
 * as they are in the snapshot: it would replace their configuration.
 */
export const forRestore = (spec: KubeadmConfigSpec, { isCopy }: Pick<SnapshotFile, 'isCopy'>): KubeadmConfigSpec => {
  const { initConfiguration = {}, clusterConfiguration } = spec;
  const { nodeRegistration = {}, skipPhases = [] } = initConfiguration;
  const { ignorePreflightErrors = [] } = nodeRegistration;
  const dataDir = clusterConfiguration?.etcd?.local?.dataDir || defaultDataDir;
  const check = `DirAvailable-${dataDir.replaceAll('/', '-')}`;
  return {
    ...spec,
    initConfiguration: {
      ...initConfiguration,
      skipPhases: isCopy ? skipPhases : [...new Set([...skipPhases, 'addon'])],
      nodeRegistration: {
        ...nodeRegistration,
        ignorePreflightErrors: [...new Set([...ignorePreflightErrors, check])],
      },
    },
  };
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** `member`: a name that no other etcd cluster has had. */
const script = (url: string, { checksum }: SnapshotFile, member: string): string => `#!/bin/sh
# Puts a snapshot into etcd's data directory, before kubeadm starts etcd there.
set -eu
url=${quoted(url)}
checksum=${quoted(checksum.replace('sha256:', ''))}
token=${quoted(`capstan-${member}`)}
config=$1
manifest=/etc/kubernetes/manifests/etcd.yaml
work=/var/lib/capstan-restore

fail() {
  echo "restore-etcd: $1" >&2
  exit 1
}

# kubeadm knows the name of the member, its addresses, its directory and its image.
kubeadm init phase etcd local --config "$config"
flag() {
  sed -n "s/^ *- --$1=//p" "$manifest"
}
name=$(flag name)
members=$(flag initial-cluster)
peer=$(flag initial-advertise-peer-urls)
data=$(flag data-dir)
image=$(sed -n 's/^ *image: *//p' "$manifest")
rm "$manifest"
[ -n "$name" ] && [ -n "$members" ] && [ -n "$peer" ] && [ -n "$data" ] || fail "kubeadm's manifest of etcd is not understood"
[ ! -e "$data/member" ] || fail "$data has data already"

umask 077
mkdir -p "$work"
file=$work/snapshot.db
attempt=1
until curl --fail --silent --show-error --location --output "$file" "$url"; do
  [ "$attempt" -lt 10 ] || fail "the snapshot cannot be downloaded"
  attempt=$((attempt + 1))
  sleep 6
done
# etcdutl compares this hash, at the end of the file, with the content.
[ "$(tail -c 32 "$file" | od -An -v -tx1 | tr -d ' \\n')" = "$checksum" ] || fail "the file is not the snapshot"

etcdutl=$(command -v etcdutl || true)
mounted=
if [ -z "$etcdutl" ]; then
  crictl inspecti "$image" >/dev/null 2>&1 || crictl pull "$image"
  mkdir -p "$work/image"
  ctr --namespace k8s.io images mount "$image" "$work/image" >/dev/null
  mounted=yes
  # Releases of etcd 3.5 may have only etcdctl in their image, which restores as well.
  for program in etcdutl etcdctl; do
    [ -x "$work/image/usr/local/bin/$program" ] || continue
    etcdutl=$work/image/usr/local/bin/$program
    break
  done
  [ -n "$etcdutl" ] || fail "$image has no etcdutl"
fi
# Watches from before must end: the revisions that they go on from do not exist any more.
"$etcdutl" snapshot restore "$file" --data-dir "$work/data" --name "$name" \\
  --initial-cluster "$members" --initial-advertise-peer-urls "$peer" --initial-cluster-token "$token" \\
  --bump-revision ${revisionBump} --mark-compacted
[ -z "$mounted" ] || ctr --namespace k8s.io images unmount --rm "$work/image" >/dev/null
mkdir -p "$data"
chmod 700 "$data"
mv "$work/data/member" "$data/member"
rm -rf "$work"
`;

export const restoreFile = (url: string, file: SnapshotFile, member: string): WriteFile => ({
  path,
  owner: 'root:root',
  permissions: '0700',
  content: script(url, file, member),
});
