/** What an add-on names by its place: files and charts, as objects of its cluster. Pure. */
import type { JsonObject, JsonValue } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { askSources, type Sourced, type SourceFault, type SourcesReads } from '../../ports/sources.ts';
import { parseManifests } from '../cluster-resource-set/manifests.ts';
import { filledIn, type Values } from './render.ts';
import type { AddonSpec } from './schema.ts';

type File = SourcesReads['File'][0];
type Chart = SourcesReads['Chart'][0];

export interface Sources {
  files: File[];
  charts: Chart[];
}

/** `kubernetesVersion`: of the cluster, by which charts choose what they install. */
export const sourcesOf = (
  { manifests = [], charts = [] }: AddonSpec,
  values: Values,
  kubernetesVersion: string,
): Sources => ({
  files: manifests.flatMap(({ url, digest, caBundle }) =>
    url && digest ? [{ url, digest, ...(caBundle && { caBundle }) }] : [],
  ),
  charts: charts.map(({ releaseName, namespace, values: given = {}, ...source }) => ({
    ...source,
    releaseName: releaseName ?? source.chartName,
    namespace: namespace ?? 'default',
    values: filledIn(given, values) as JsonObject,
    kubernetesVersion,
  })),
});

/** Helm runs hooks at moments of a release, of which an add-on has these alone. */
const installHooks = /(^|,)\s*(pre|post)-(install|upgrade)\s*(,|$)/;
/** Kinds of Kubernetes without a namespace; the API ignores one of other kinds without. */
const clusterWide =
  /^(Namespace|Node|PersistentVolume|StorageClass|CSIDriver|APIService|CustomResourceDefinition|PriorityClass|IngressClass|RuntimeClass|Cluster.*|.*WebhookConfiguration|.*AdmissionPolicy(Binding)?|FlowSchema|PriorityLevelConfiguration)$/;
/** Namespaces that every cluster has. */
const present = /^(default|kube-.*)$/;

interface Metadata {
  [field: string]: JsonValue;
  annotations: Record<string, string>;
}

const isInstalled = ({ metadata }: JsonObject): boolean => {
  const hook = (metadata as Partial<Metadata>).annotations?.['helm.sh/hook'];
  return hook === undefined || installHooks.test(hook) || hook === 'crd-install';
};

/** As Helm would install them: in the namespace of the release, which exists. */
const releaseOf = (objects: JsonObject[], { namespace }: Chart): JsonObject[] => {
  const placed = objects.filter(isInstalled).map((object) => {
    const metadata = object.metadata as Partial<Metadata>;
    if (metadata.namespace || clusterWide.test(String(object.kind))) return object;
    return { ...object, metadata: { ...metadata, namespace } } as JsonObject;
  });
  const hasOwn = placed.some(({ kind, metadata }) => kind === 'Namespace' && (metadata as Metadata).name === namespace);
  if (hasOwn || present.test(namespace)) return placed;
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...placed];
};

type Objects = { objects: JsonObject[] } | { fault: string; reason: SourceFault | 'ManifestsInvalid' } | 'unread';

const objectsFrom = (read: Read<Sourced>, what: string, made: (objects: JsonObject[]) => JsonObject[]): Objects => {
  if (read.state === 'unread') return 'unread';
  if (read.state === 'unreadable') return { fault: `${what}: ${read.reason}`, reason: 'SourceUnavailable' };
  if (read.state === 'absent') return { fault: `${what}: not found`, reason: 'SourceNotFound' };
  if (read.value.failed !== undefined) return { fault: read.value.message, reason: read.value.failed };
  const parsed = parseManifests([read.value.text]);
  if ('error' in parsed) return { fault: `${what}: ${parsed.error}`, reason: 'ManifestsInvalid' };
  return { objects: made(parsed.objects) };
};

/** All objects, or what prevents one source. */
export const objectsOf = ({ files, charts }: Sources, values: Values, read: Reader): Objects => {
  const all = [
    ...files.map((file) =>
      objectsFrom(askSources(read, 'File', file), file.url, (objects) =>
        objects.map((object) => filledIn(object, values) as JsonObject),
      ),
    ),
    ...charts.map((chart) =>
      objectsFrom(askSources(read, 'Chart', chart), `chart ${chart.chartName}`, (objects) => releaseOf(objects, chart)),
    ),
  ];
  const objects: JsonObject[] = [];
  for (const one of all) {
    if (one === 'unread' || 'fault' in one) return one;
    objects.push(...one.objects);
  }
  return { objects };
};
