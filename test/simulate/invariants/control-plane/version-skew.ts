import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { takenOver } from '../grace.ts';
import { conditionIn, isControlPlane, isGoing } from '../relations.ts';
import type { Rule } from '../rule.ts';

const clusterName = 'cluster.x-k8s.io/cluster-name';

type Workload = KubeObject<{ template?: { spec?: { containers?: { name: string; image: string }[] } } }>;

const isNewer = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true }) > 0;
const minorOf = (version: string) => Number(version.split('.')[1]);

export const versionSkew: Rule = ({ world, has }, broken) => {
  const { clock, guests, mirror } = world;
  /** The Machines that serve the API of a machine's cluster. */
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
      throw broken(`kube-proxy has version ${version}, but an API server ${oldest}`);
  };
  const expectKubelet = (machine: Machine) => {
    const [oldest, version] = [oldestOf(machine), machine.spec?.version];
    if (oldest && version && minorOf(version) > minorOf(oldest))
      throw broken(`${machine.metadata.name} has version ${version}, but an API server ${oldest}`);
  };
  /** By the uid of a control plane: when its spec's version last changed. */
  const changed = new Map<string, number>();
  const noteVersion = (plane: KubeadmControlPlane, before: KubeadmControlPlane | undefined) => {
    if (plane.spec?.version !== before?.spec?.version) changed.set(plane.metadata.uid!, clock.now());
  };
  /**
   * No worker is created or replaced during a control plane upgrade, not even for a patch version.
   */
  const expectNoRollout = (machine: Machine, what: string) => {
    const { namespace = '', labels = {} } = machine.metadata;
    const name =
      mirror.get<Cluster>('Cluster', namespace, labels[clusterName] ?? '')?.spec?.controlPlaneRef?.name ?? '';
    const plane = mirror.get<KubeadmControlPlane>('KubeadmControlPlane', namespace, name);
    const since = changed.get(plane?.metadata.uid ?? '') ?? Number.NEGATIVE_INFINITY;
    const [version, oldest] = [plane?.spec?.version, oldestOf(machine)];
    if (!version || !oldest || !isNewer(version, oldest) || clock.now() - since <= takenOver(has)) return;
    const of = `${machine.metadata.name} ${what} while an API server has version ${oldest}`;
    throw broken(`${of}, but ${name} asks for ${version}`);
  };
  return {
    onCommit: ({ event, object, before, writer }) => {
      if (object?.kind === 'KubeadmControlPlane')
        noteVersion(object as KubeadmControlPlane, before as KubeadmControlPlane | undefined);
      // A worker that resumes hours later acts on an outdated state.
      if (object?.kind !== 'Machine' || has('worker.late')) return;
      const isIll = conditionIn(object, 'OwnerRemediated')?.reason === 'MachineDeleting';
      // The replacement could not join.
      if (writer === 'machine-set' && isIll && isGoing(object) && before && !isGoing(before))
        expectNoRollout(object as Machine, 'is deleted as unhealthy');
      if (event !== 'ADDED') return;
      if (writer === 'machine-set') {
        expectKubelet(object as Machine);
        expectNoRollout(object as Machine, 'is created');
      }
      if (writer === 'kubeadm-control-plane') void expectProxy(object as Machine).catch(mirror.breaks);
    },
  };
};
