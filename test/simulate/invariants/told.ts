/** In the end statuses count what there is, and conditions say what is so. */
import { X509Certificate } from 'node:crypto';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { Secret } from '../../../kinds/secret/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'told in the end';
const authorities = ['ca', 'etcd', 'proxy', 'sa'];
/** Of kinds that count Machines: whose they are, by a label that has their name. */
const counting = {
  KubeadmControlPlane: 'cluster.x-k8s.io/control-plane-name',
  MachineDeployment: 'cluster.x-k8s.io/deployment-name',
  MachineSet: 'cluster.x-k8s.io/set-name',
} as const;
/** Which of the conditions are good when they are false. */
const bad = /^(RollingOut|Remediating|ScalingUp|ScalingDown|Paused|Deleting|Updating|Progressing)$/;
const awaited =
  /^(Cluster|KubeadmControlPlane|MachineDeployment|MachineSet|Machine|KubeadmConfig|AWSCluster|AWSMachine)$/;

interface Counts {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  upToDateReplicas?: number;
}
const conditionsOf = ({ status }: KubeObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
const isTrue = (object: KubeObject, type: string) =>
  conditionsOf(object).some((one) => one.type === type && one.status === 'True');
const textOf = (secret: Secret | undefined, key: string) =>
  Buffer.from((secret?.data as Record<string, string> | undefined)?.[key] ?? '', 'base64').toString();

export const told = ({ world, isRuined = () => false }: Setting): Invariant => {
  const { mirror, clock } = world;
  const expect = (what: string, is: unknown, should: unknown) => {
    if (is !== should) throw new Violation(rule, `${what}: ${String(is)}, and not ${String(should)}`);
  };
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
  };
  const expectGood = (object: KubeObject) => {
    for (const { type, status, reason } of conditionsOf(object))
      expect(
        `${type} of ${object.kind} ${object.metadata.name} (${reason})`,
        status,
        bad.test(type) ? 'False' : 'True',
      );
  };
  /** Whoever has its kubeconfig comes in: by its endpoint, its authority, and a certificate that lasts. */
  const expectAccess = ({ metadata: { name, namespace = '' }, spec }: Cluster) => {
    const secret = (purpose: string) => mirror.get<Secret>('Secret', namespace, `${name}-${purpose}`);
    for (const purpose of authorities) {
      const owner = secret(purpose)?.metadata.ownerReferences?.[0]?.kind;
      expect(`the owner of ${name}-${purpose}`, owner, 'KubeadmControlPlane');
      expect(`the type of ${name}-${purpose}`, secret(purpose)?.type, 'cluster.x-k8s.io/secret');
    }
    const text = textOf(secret('kubeconfig'), 'value');
    const part = (key: string) => new RegExp(`${key}: "?([^"\\s]+)`).exec(text)?.[1] ?? '';
    const { host, port } = spec?.controlPlaneEndpoint ?? {};
    expect(`the server of ${name}`, part('server'), `https://${host}:${port}`);
    const authority = textOf(secret('ca'), 'tls.crt').trim();
    expect(
      `the authority in the kubeconfig of ${name}`,
      Buffer.from(part('certificate-authority-data'), 'base64').toString().trim() === authority,
      true,
    );
    const certificate = new X509Certificate(Buffer.from(part('client-certificate-data'), 'base64'));
    expect(`whether the kubeconfig of ${name} lasts`, Date.parse(certificate.validTo) > clock.now(), true);
    expect(`who signed the kubeconfig of ${name}`, certificate.verify(new X509Certificate(authority).publicKey), true);
  };
  const expectOperation = ({ metadata: { name }, status }: ClusterOperation) => {
    const {
      started,
      ended,
      steps = [],
    } = (status ?? {}) as {
      started?: string;
      ended?: string;
      steps?: { name: string; started?: string; ended?: string; verdict?: string }[];
    };
    if (started && ended)
      expect(`whether ${name} ends after it begins`, Date.parse(ended) >= Date.parse(started), true);
    const failed = steps.filter(({ verdict }) => verdict !== undefined && verdict !== 'Succeeded');
    if (status?.phase === 'Succeeded')
      expect(`steps that failed of ${name}`, failed.map((step) => step.name).join(), '');
  };

  return {
    atEnd: () => {
      for (const operation of mirror.all<ClusterOperation>('ClusterOperation')) expectOperation(operation);
      if (isRuined()) return;
      for (const [kind, label] of Object.entries(counting))
        for (const object of mirror.all(kind)) expectCounts(object, label);
      for (const object of mirror.everything()) if (awaited.test(object.kind)) expectGood(object);
      for (const cluster of mirror.all<Cluster>('Cluster')) expectAccess(cluster);
      const happened = new Map<string, string>();
      for (const { metadata, ...event } of mirror.all('Event')) {
        const { involvedObject, reason, message, source, type } = event as unknown as Record<string, { uid?: string }>;
        const text = JSON.stringify([involvedObject?.uid, reason, message, source, type]);
        const other = happened.get(text);
        if (other) throw new Violation(rule, `Events ${other} and ${metadata.name} say the same: ${text}`);
        happened.set(text, metadata.name);
      }
    },
  };
};
