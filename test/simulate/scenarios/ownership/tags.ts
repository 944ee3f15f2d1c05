/** Additional tags that users request and change later. */
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { askedTag, handTag, placeTag, wronglyTagged } from '../../invariants/ownership/tags.ts';
import { region } from '../../invariants/tags.ts';
import { type ScenarioContext, workersOf } from '../context.ts';
import { infrastructureOf } from '../network/load-balancers.ts';
import { comes, promptly } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const keys = [...['a', 'b', 'c'].map((name) => `${askedTag}${name}`), placeTag];

/** Some of the keys, each with a value or without one. */
const drawTags = ({ draw }: ScenarioContext) =>
  Object.fromEntries(keys.filter(() => draw.chance(0.6)).map((key) => [key, draw.pick(['1', '2', null])]));

const hostOf = (context: ScenarioContext): AWSMachine | undefined => {
  const machines = workersOf(context);
  if (machines.length === 0) return undefined;
  const { name } = context.draw.pick(machines).spec?.infrastructureRef ?? {};
  return name ? context.world.mirror.get<AWSMachine>('AWSMachine', 'default', name) : undefined;
};

/** A user adds a similar tag in the account. Capstan must keep it. */
const tagByHand = async ({ draw, world }: ScenarioContext) => {
  const ours = world.account
    .list()
    .filter(({ tags, state }) => tags['capstan.dev/installation'] === 'here' && !/terminat|delet|shutting/.test(state))
    .filter(({ type }) => /^(instance|vpc|subnet|natgateway|security-group)$/.test(type));
  if (ours.length === 0) return;
  const Tags = [{ Key: handTag, Value: 'user' }];
  await world.account.call(region, 'CreateTags', { Resources: [draw.pick(ours).id], Tags }).catch(() => {});
};

/** A subnet gets tags of its own, which take precedence over those of the cluster. */
const tagSubnet = async ({ client, draw }: ScenarioContext, { kind, metadata, spec }: AWSCluster) => {
  const subnets = spec?.network?.subnets ?? [];
  if (subnets.length === 0) return;
  const chosen = draw.pick(subnets).id;
  const own = { [placeTag]: draw.pick(['visitors', 'machines']) };
  const changed = subnets.map((one) => (one.id === chosen ? { ...one, tags: { ...one.tags, ...own } } : one));
  await client.patch(kind, metadata.name, { spec: { network: { subnets: changed } } });
};

export const requestTags = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const own = infrastructureOf(context);
  if (!own) return;
  if (draw.chance(0.5)) await tagByHand(context);
  for (let changes = draw.whole(1, 4); changes > 0; changes--) {
    const host = draw.chance(0.4) ? hostOf(context) : undefined;
    const { kind, metadata } = host ?? own;
    const now = infrastructureOf(context);
    if (now && draw.chance(0.3)) await tagSubnet(context, now);
    await client.patch(kind, metadata.name, { spec: { additionalTags: drawTags(context) } });
    await sleep(clock, draw.spread(1000, 20 * minute));
    // A replacement has the current tags from the start.
    const [worker] = staying(context);
    if (worker && draw.chance(0.3)) {
      await client.remove('Machine', worker.metadata.name);
      await settled(60);
    }
  }
  const isAsAsked = async () => {
    const now = infrastructureOf(context);
    return !now || (await wronglyTagged(world, now)) === undefined;
  };
  await comes(context, 'that all resources have the requested tags', isAsAsked, 'Available', promptly);
};
