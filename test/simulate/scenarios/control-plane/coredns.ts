/** A user maintains CoreDNS for a while, and then returns it to Capstan. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const minute = 60_000;
const skips = 'controlplane.cluster.x-k8s.io/skip-coredns';
type Workload = KubeObject<{ template?: { spec?: { containers?: { name: string; image: string }[] } } }>;

export const maintainCoreDns = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const tagOf = async (): Promise<string | undefined> => {
    const [cluster, ...others] = world.guests.clusters.all();
    // With several guests, the one of this Cluster cannot be told apart.
    if (!cluster || others.length > 0) return undefined;
    const there = (await cluster.get('deployments.apps', 'kube-system', 'coredns')) as Workload | undefined;
    return there?.spec?.template?.spec?.containers
      ?.find(({ name }) => name === 'coredns')
      ?.image.split(':')
      .at(-1);
  };
  const before = await tagOf();
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(before ?? '') ?? [];
  if (!before || major === undefined) return;
  const [newer, older] = [1, -1].map((by) => `v${major}.${Number(minor) + by}.0`) as [string, string];
  const plane = (patch: object) => client.patch('KubeadmControlPlane', controlPlane(context), patch);
  const say = (imageTag: string | null) =>
    plane({ spec: { kubeadmConfigSpec: { clusterConfiguration: { dns: imageTag && { imageTag } } } } });
  const keep = (value: string | null) => plane({ metadata: { annotations: { [skips]: value } } });
  const stays = async (tag: string, why: string) => {
    await sleep(clock, draw.spread(minute, 30 * minute));
    const is = await tagOf();
    if (is !== undefined && is !== tag) throw new Violation('upkeep', `CoreDNS is ${is}, although ${why}`);
  };
  if ((await keep('')).code >= 300 || (await say(newer)).code >= 300) return;
  await stays(before, 'its user maintains it');
  await keep(null);
  if (!(await comes(context, `CoreDNS ${newer}`, async () => (await tagOf()) === newer))) return;
  // Without a current tag admission accepts any other one.
  await say(null);
  await say(older);
  await stays(newer, `${older} is older`);
  await say(null);
};
