/** A bastion host: its users, its allowed addresses and its end. */
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { conditionIn } from '../../invariants/relations.ts';
import type { ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const region = 'eu-central-1';
const minute = 60_000;
const ssh = 22;

/** Enables the bastion for a while, for these addresses only. */
export const enableBastion = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  const { account, mirror } = world;
  await settled(60);
  // An unmanaged network has no known public subnets.
  if (desired.network) return;
  const want = (bastion: object) => client.patch('AWSCluster', desired.name, { spec: { bastion } });
  const find = () => mirror.get<AWSCluster>('AWSCluster', 'default', desired.name);
  const idOf = () => find()?.status?.bastion?.id;
  const isThere = () => account.list().some(({ id, state }) => id === idOf() && state === 'running');
  const sources = async (): Promise<string> => {
    const { Reservations } = await account.call(region, 'DescribeInstances', { InstanceIds: [idOf() ?? ''] });
    const [instance] = Reservations.flatMap(({ Instances }) => Instances);
    const GroupIds = instance?.SecurityGroups.map(({ GroupId }) => GroupId) ?? [];
    const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', { GroupIds });
    const rules = SecurityGroups.flatMap(({ IpPermissions }) => IpPermissions);
    return rules
      .flatMap(({ FromPort, IpRanges = [] }) =>
        FromPort === ssh ? IpRanges.map(({ CidrIp }) => CidrIp) : 'another port',
      )
      .join();
  };
  for (const block of draw.chance(0.5) ? ['203.0.113.0/24'] : ['203.0.113.0/24', '198.51.100.7/32']) {
    const { code } = await want({ enabled: true, allowedCIDRBlocks: [block] });
    if (code >= 300 || !(await comes(context, 'a bastion host', isThere))) return;
    // A read just after a change may be stale.
    const isAsWanted = () =>
      sources().then(
        (from) => from === block,
        () => false,
      );
    if (!(await comes(context, `that only ${block} may log in`, isAsWanted))) return;
  }
  await sleep(clock, draw.spread(minute, 20 * minute));
  const isRunning = account.list().some(({ id, state }) => id === idOf() && state === 'running');
  if (isRunning && draw.chance(0.4)) {
    // The cluster does not depend on the bastion. The status reports its state.
    account.halt(idOf()!, draw.chance(0.4));
    const isReported = (state: string) => () =>
      find()?.status?.bastion?.instanceState === state && conditionIn(find(), 'Ready')?.status === 'True';
    if (!(await comes(context, 'that the status reports the stopped bastion host', isReported('stopped')))) return;
    await sleep(clock, draw.spread(minute, 20 * minute));
    try {
      account.start(idOf()!);
    } catch {
      return;
    }
    if (!(await comes(context, 'that the status reports the restarted bastion host', isReported('running')))) return;
  }
  if (draw.chance(0.6)) {
    const id = idOf();
    await want({ enabled: false });
    await comes(context, 'the end of the bastion host', () => !account.list().some((one) => one.id === id));
  }
  // The bastion's security group remains until the cluster is deleted.
  life.desired = undefined;
  await client.remove('Cluster', desired.name);
};
