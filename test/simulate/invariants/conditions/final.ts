import { X509Certificate } from 'node:crypto';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { parseLabelSelector } from '../../../../machinery/api/labels.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { authorityDays, defaultDays } from '../../scenarios/manifest.ts';
import { isTrue } from '../relations.ts';
import { expecting, type Rule } from '../rule.ts';

const authorities = ['ca', 'etcd', 'proxy', 'sa'];
const clockTolerance = 5000;
const day = 24 * 60 * 60_000;
/** The minimum lifetime that users may rely on. */
const lasting = { administrator: 182 * day };
/** The kinds that count Machines, with the label that names the owner. */
const counting = {
  KubeadmControlPlane: 'cluster.x-k8s.io/control-plane-name',
  MachineDeployment: 'cluster.x-k8s.io/deployment-name',
  MachineSet: 'cluster.x-k8s.io/set-name',
} as const;
/** Counters of v1beta1. */
const v1beta1Fields = ['readyReplicas', 'availableReplicas', 'updatedReplicas', 'fullyLabeledReplicas'];
/** Conditions with negative polarity. */
const bad = /^(RollingOut|Remediating|ScalingUp|ScalingDown|Paused|Deleting|Updating|Progressing)$/;
const awaited =
  /^(Cluster|KubeadmControlPlane|MachineDeployment|MachineSet|Machine|KubeadmConfig|AWSCluster|AWSMachine)$/;

interface Counts {
  selector?: string;
  versions?: { version: string; replicas: number }[];
  deprecated?: { v1beta1?: Record<string, unknown> };
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  upToDateReplicas?: number;
}
const conditionsOf = ({ status }: KubeObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
const textOf = (secret: Secret | undefined, key: string) =>
  Buffer.from((secret?.data as Record<string, string> | undefined)?.[key] ?? '', 'base64').toString();

export const finalStatus: Rule = ({ world, wanted, isRuined = () => false }, broken) => {
  const { mirror, clock } = world;
  const expect = expecting(broken);
  const expectCounts = (owner: KubeObject, label: string) => {
    const { name, namespace } = owner.metadata;
    const own = mirror
      .all<Machine>('Machine')
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[label] === name);
    const status = (owner.status ?? {}) as Counts;
    const count = (type: string) => own.filter((machine) => isTrue(machine, type)).length;
    expect(`replicas of ${owner.kind} ${name}`, status.replicas ?? 0, own.length);
    expect(`ready replicas of ${owner.kind} ${name}`, status.readyReplicas ?? 0, count('Ready'));
    expect(`available replicas of ${owner.kind} ${name}`, status.availableReplicas ?? 0, count('Available'));
    expect(`replicas of ${owner.kind} ${name} that are up to date`, status.upToDateReplicas ?? 0, count('UpToDate'));
    const versions = [...Map.groupBy(own, ({ spec }) => spec?.version ?? '')];
    const counted = versions.map(([version, all]) => `${all.length} of ${version}`).sort();
    const reported = (status.versions ?? []).map((one) => `${one.replicas} of ${one.version}`).sort();
    expect(`versions of ${owner.kind} ${name}`, reported.join(), counted.join());
    const isSelected = parseLabelSelector(status.selector ?? '');
    const inPlace = mirror.all<Machine>('Machine').filter(({ metadata }) => metadata.namespace === namespace);
    const selected = inPlace.filter(({ metadata }) => isSelected(metadata.labels)).length;
    expect(`machines that the selector of ${owner.kind} ${name} matches`, selected, own.length);
    // At the end of a run all machines are healthy.
    for (const field of counted.length > 0 ? v1beta1Fields : [])
      expect(`${field} of ${owner.kind} ${name}`, status.deprecated?.v1beta1?.[field] ?? own.length, own.length);
  };
  /** A Cluster sums up the counters of its parts. */
  const expectSums = ({ metadata: { name, namespace }, spec, status }: Cluster) => {
    const isOf = (object: KubeObject) =>
      object.metadata.namespace === namespace && object.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === name;
    const counters = { controlPlane: 'KubeadmControlPlane', workers: 'MachineDeployment' } as const;
    for (const [field, kind] of Object.entries(counters))
      for (const count of ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas'] as const) {
        const parts = mirror.all(kind).filter(isOf);
        const sum = parts.reduce((total, part) => total + (((part.status ?? {}) as Counts)[count] ?? 0), 0);
        const reported = (status as Record<string, Counts | undefined> | undefined)?.[field]?.[count] ?? 0;
        expect(`${count} of ${field} of Cluster ${name}`, reported, sum);
      }
    expect(`the phase of Cluster ${name}`, status?.phase, 'Provisioned');
    const infrastructure = mirror.get<AWSCluster>('AWSCluster', namespace!, spec?.infrastructureRef?.name ?? '');
    const zones = (domains: unknown) =>
      JSON.stringify(
        Array.isArray(domains) ? domains.map((one) => one.name).sort() : Object.keys(domains ?? {}).sort(),
      );
    expect(`zones of Cluster ${name}`, zones(status?.failureDomains), zones(infrastructure?.status?.failureDomains));
  };
  /** A Machine of a control plane reports when its certificates expire. */
  const expectExpiry = ({ metadata: { name, labels = {} }, status }: Machine) => {
    if (!('cluster.x-k8s.io/control-plane' in labels)) return;
    expect(`whether ${name} reports when its certificates expire`, status?.certificatesExpiryDate !== undefined, true);
  };
  /** Each binding lists exactly the existing sets that select its cluster. */
  const expectBindings = () => {
    const sets = mirror.all('ClusterResourceSet');
    for (const { metadata, spec } of mirror.all('ClusterResourceSetBinding')) {
      const { bindings = [] } = (spec ?? {}) as { bindings?: { clusterResourceSetName: string }[] };
      const noted = bindings.map((one) => one.clusterResourceSetName);
      // Users may create bindings of their own.
      if (metadata.ownerReferences) expect(`whether binding ${metadata.name} has entries`, noted.length > 0, true);
      for (const name of noted)
        expect(
          `whether set ${name} of binding ${metadata.name} exists`,
          sets.some((set) => set.metadata.name === name && set.metadata.namespace === metadata.namespace),
          true,
        );
      const { labels = {} } = mirror.get('Cluster', metadata.namespace!, metadata.name)?.metadata ?? {};
      for (const set of sets) {
        const { clusterSelector } = (set.spec ?? {}) as { clusterSelector?: { matchLabels?: Record<string, string> } };
        const selected = Object.entries(clusterSelector?.matchLabels ?? {});
        if (set.metadata.namespace !== metadata.namespace || selected.length === 0) continue;
        const isSelected = selected.every(([key, value]) => labels[key] === value);
        const { name } = set.metadata;
        expect(`whether binding ${metadata.name} lists ${name}`, noted.includes(name), isSelected);
      }
    }
  };
  const expectGood = (object: KubeObject) => {
    const { v1beta1 } = ((object.status ?? {}) as Counts).deprecated ?? {};
    const conditions = (v1beta1?.conditions ?? []) as Condition[];
    const isNewer = object.apiVersion.endsWith('cluster.x-k8s.io/v1beta2') && !object.kind.startsWith('AWS');
    expect(`whether ${object.kind} ${object.metadata.name} has conditions for v1beta1`, conditions.length > 0, isNewer);
    // Conditions with a domain belong to users.
    const own = conditionsOf(object).filter(({ type }) => !type.includes('/'));
    for (const { type, status, reason } of [...own, ...conditions])
      expect(
        `${type} of ${object.kind} ${object.metadata.name} (${reason})`,
        status,
        bad.test(type) ? 'False' : 'True',
      );
  };
  /**
   * The kubeconfig works: its server, its certificate authority and the lifetime of its certificate
   * are right.
   */
  const expectAccess = ({ metadata: { name, namespace = '' }, spec }: Cluster) => {
    const secret = (purpose: string) => mirror.get<Secret>('Secret', namespace, `${name}-${purpose}`);
    const { providedAuthorities = [], network } = wanted().find((one) => one.name === name) ?? {};
    const made = authorities.filter((purpose) => !providedAuthorities.includes(purpose));
    for (const purpose of [...made, 'kubeconfig']) {
      const label = secret(purpose)?.metadata.labels?.['cluster.x-k8s.io/cluster-name'];
      expect(`the cluster label of ${name}-${purpose}`, label, name);
    }
    for (const purpose of made) {
      const owner = secret(purpose)?.metadata.ownerReferences?.[0]?.kind;
      expect(`the owner of ${name}-${purpose}`, owner, 'KubeadmControlPlane');
      expect(`the type of ${name}-${purpose}`, secret(purpose)?.type, 'cluster.x-k8s.io/secret');
      // Runs that mutate fields may ask for a shorter lifetime.
      if (purpose === 'sa' || wanted().length === 0) continue;
      const { validFrom, validTo } = new X509Certificate(textOf(secret(purpose), 'tls.crt'));
      const days = Math.round((Date.parse(validTo) - Date.parse(validFrom)) / day);
      expect(`days for which ${name}-${purpose} is valid`, days, network ? defaultDays : authorityDays);
    }
    const text = textOf(secret('kubeconfig'), 'value');
    const part = (key: string) => new RegExp(`${key}: "?([^"\\s]+)`).exec(text)?.[1] ?? '';
    const { host, port } = spec?.controlPlaneEndpoint ?? {};
    expect(`the server of ${name}`, part('server'), `https://${host}:${port}`);
    const authority = textOf(secret('ca'), 'tls.crt').trim();
    expect(
      `the certificate authority in the kubeconfig of ${name}`,
      Buffer.from(part('certificate-authority-data'), 'base64').toString().trim() === authority,
      true,
    );
    const certificate = new X509Certificate(Buffer.from(part('client-certificate-data'), 'base64'));
    const end = Date.parse(certificate.validTo);
    expect(
      `whether the kubeconfig of ${name} is valid for long enough`,
      end > clock.now() + lasting.administrator,
      true,
    );
    expect(`who signed the kubeconfig of ${name}`, certificate.verify(new X509Certificate(authority).publicKey), true);
  };
  const expectOperation = ({ metadata: { name }, spec, status }: ClusterOperation) => {
    const {
      started,
      ended,
      steps = [],
    } = (status ?? {}) as {
      started?: string;
      ended?: string;
      steps?: { name: string; started?: string; ended?: string; verdict?: string }[];
    };
    // Workers' clocks differ by seconds.
    if (started && ended)
      expect(`whether ${name} ends after it begins`, Date.parse(ended) - Date.parse(started) > -clockTolerance, true);
    for (const step of steps) {
      const isDecided = step.verdict !== 'Running';
      expect(`whether ${step.name} of ${name} has an end time`, step.ended !== undefined, isDecided);
    }
    for (const [index, step] of status?.phase === 'Succeeded' ? steps.slice(1).entries() : []) {
      const overlap = Date.parse(steps[index]!.ended ?? '') - Date.parse(step.started ?? '');
      expect(
        `whether ${steps[index]!.name} of ${name} ended before ${step.name} began`,
        overlap < clockTolerance,
        true,
      );
    }
    // A deletion on hold continues to its proof after the step that was refused. Of other
    // operations only the last step may have failed.
    const failed = (spec?.type === 'delete' ? [] : steps.slice(0, -1)).filter(
      ({ verdict }) => verdict !== undefined && verdict !== 'Succeeded',
    );
    if (status?.phase === 'Succeeded') expect(`failed steps of ${name}`, failed.map((step) => step.name).join(), '');
  };

  return {
    onCommit: ({ object }) => {
      if (object?.kind === 'ClusterOperation' && (object as ClusterOperation).status?.ended)
        expectOperation(object as ClusterOperation);
    },
    atEnd: () => {
      if (isRuined()) return;
      for (const [kind, label] of Object.entries(counting))
        for (const object of mirror.all(kind)) expectCounts(object, label);
      for (const object of mirror.everything()) if (awaited.test(object.kind)) expectGood(object);
      for (const cluster of mirror.all<Cluster>('Cluster')) expectAccess(cluster);
      for (const cluster of mirror.all<Cluster>('Cluster')) expectSums(cluster);
      for (const machine of mirror.all<Machine>('Machine')) expectExpiry(machine);
      expectBindings();
      const happened = new Map<string, string>();
      for (const { metadata, ...event } of mirror.all('Event')) {
        const { involvedObject, reason, message, source, type } = event as unknown as Record<string, { uid?: string }>;
        const text = JSON.stringify([involvedObject?.uid, reason, message, source, type]);
        const other = happened.get(text);
        if (other) throw broken(`Events ${other} and ${metadata.name} are duplicates: ${text}`);
        happened.set(text, metadata.name);
      }
    },
  };
};
