/** A user maintains an add-on of kubeadm, or requests another version of it. */
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, type ScenarioContext } from '../context.ts';
import { areGone, comes } from '../progress.ts';

const minute = 60_000;
const skips = 'controlplane.cluster.x-k8s.io/skip-kube-proxy';
type Workload = KubeObject<{ template?: { spec?: { containers?: { name: string; image: string }[] } } }>;

/** An upgrade leaves a skipped add-on as it is, and upgrades it later. */
export const maintainAddOns = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  await settled(60);
  if (desired.version !== 'v1.35.0') return;
  const imageOf = async (): Promise<string | undefined> => {
    const [cluster, ...others] = world.guests.clusters.all();
    // With several guests, the one of this Cluster cannot be told apart.
    if (!cluster || others.length > 0) return undefined;
    const proxy = (await cluster.get('daemonsets.apps', 'kube-system', 'kube-proxy')) as Workload | undefined;
    return proxy?.spec?.template?.spec?.containers?.find(({ name }) => name === 'kube-proxy')?.image;
  };
  const before = await imageOf();
  const skip = (value: string | null) =>
    client.patch('KubeadmControlPlane', controlPlane(context), { metadata: { annotations: { [skips]: value } } });
  if (!before || (await skip('')).code >= 300) return;
  const machines = controlPlanesOf(context);
  desired.version = 'v1.35.1';
  await client.patch('KubeadmControlPlane', controlPlane(context), { spec: { version: desired.version } });
  await comes(context, 'machines of another version', areGone(context, machines), 'RemoteConnectionProbe');
  await sleep(clock, draw.spread(minute, 30 * minute));
  const kept = await imageOf();
  if (kept !== undefined && kept !== before)
    throw new Violation('upkeep', `kube-proxy is ${kept}, although its user maintains it`);
  await skip(null);
};

/** CoreDNS accepts upgrades only. */
export const upgradeCoreDns = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const plane = world.mirror.get<KubeadmControlPlane>('KubeadmControlPlane', 'default', controlPlane(context));
  const isAsked = plane?.spec?.kubeadmConfigSpec?.clusterConfiguration?.dns?.imageTag !== undefined;
  const ask = async (imageTag: string, isRefused = false) => {
    const spec = { kubeadmConfigSpec: { clusterConfiguration: { dns: { imageTag } } } };
    const { code, body } = await client.patch('KubeadmControlPlane', controlPlane(context), { spec });
    if (code >= 300 !== isRefused)
      throw new Violation('upkeep', `CoreDNS ${imageTag} is answered ${code} ${body.message}`);
    await sleep(clock, draw.spread(minute, 20 * minute));
  };
  // A second run of this action may find a newer version.
  if (!isAsked) await ask(draw.pick(['v1.99.0', 'v1.99.1', 'v1.99.1-eks-1-23-9', 'v1.99.1_vmware.9']));
  const later = ['v1.99.2', 'v1.100.0', 'v1.99.1-eks-1-23-10', 'v1.99.1_vmware.16'];
  if (!isAsked && draw.chance(0.7)) await ask(draw.pick(later));
  if (draw.chance(0.3)) await ask('v1.0.1', true);
};
