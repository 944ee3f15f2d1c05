/** Nothing in a cluster is newer than the oldest of its API servers: neither what comes next, nor kube-proxy. */
import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'skew';
const clusterName = 'cluster.x-k8s.io/cluster-name';

type Workload = KubeObject<{ template?: { spec?: { containers?: { name: string; image: string }[] } } }>;

const isControlPlane = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
const isNewer = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true }) > 0;
const minorOf = (version: string) => Number(version.split('.')[1]);

export const skew = ({ world, has }: Setting): Invariant => {
  const { guests, mirror } = world;
  /** Of the cluster of a machine, those that serve its API. */
  const serversOf = ({ metadata }: Machine): Machine[] =>
    mirror
      .all<Machine>('Machine')
      .filter(isControlPlane)
      .filter((one) => one.metadata.namespace === metadata.namespace && one.status?.nodeRef !== undefined)
      .filter((one) => one.metadata.labels?.[clusterName] === metadata.labels?.[clusterName]);
  const oldestOf = (machine: Machine): string | undefined =>
    serversOf(machine)
      .map(({ spec }) => spec?.version ?? '')
      .reduce<string | undefined>(
        (oldest, one) => (oldest === undefined || isNewer(oldest, one) ? one : oldest),
        undefined,
      );
  const clusterOf = ({ metadata, spec }: Machine) => {
    const host = mirror.get<AWSMachine>('AWSMachine', metadata.namespace!, spec?.infrastructureRef?.name ?? '');
    const guest = guests.guests().find(({ instance }) => instance.instanceId === host?.spec?.instanceID);
    return guests.clusters.get(guest?.kubelet?.cluster ?? '');
  };
  const expectProxy = async (machine: Machine) => {
    const [oldest, [server]] = [oldestOf(machine), serversOf(machine)];
    const cluster = server && clusterOf(server);
    const proxy = (await cluster?.get('daemonsets.apps', 'kube-system', 'kube-proxy')) as Workload | undefined;
    const image = proxy?.spec?.template?.spec?.containers?.find(({ name }) => name === 'kube-proxy')?.image;
    const version = image?.split(':').at(-1);
    if (oldest && version && isNewer(version, oldest))
      throw new Violation(rule, `kube-proxy is of ${version}, and an API server of ${oldest}`);
  };
  const expectKubelet = (machine: Machine) => {
    const [oldest, version] = [oldestOf(machine), machine.spec?.version];
    if (oldest && version && minorOf(version) > minorOf(oldest))
      throw new Violation(rule, `${machine.metadata.name} is of ${version}, and an API server of ${oldest}`);
  };
  return {
    onCommit: ({ event, object, writer }) => {
      // Whoever goes on hours late knows nothing of what was decided since.
      if (event !== 'ADDED' || object?.kind !== 'Machine' || has('worker.late')) return;
      if (writer === 'machine-set') expectKubelet(object as Machine);
      if (writer === 'kubeadm-control-plane') void expectProxy(object as Machine).catch(mirror.breaks);
    },
  };
};
