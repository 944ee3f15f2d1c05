/** What is not Capstan's is never touched, however much it looks like it. */
import type { Account } from '../../../simulation/aws/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const region = 'eu-central-1';
const tags = (all: Record<string, string>) => Object.entries(all).map(([Key, Value]) => ({ Key, Value }));

/** Somebody else's: without tags, with another installation's, and with the cluster's name and no more. */
export const plant = async (account: Account, cluster: string): Promise<ReadonlySet<string>> => {
  const planted = new Set<string>();
  const owners: Record<string, string>[] = [
    {},
    { 'capstan.dev/installation': 'there', 'capstan.dev/cluster-uid': '00000000-0000-4000-8000-000000000000' },
    { [`sigs.k8s.io/cluster-api-provider-aws/cluster/${cluster}`]: 'owned', Name: `${cluster}-vpc` },
  ];
  for (const own of owners) {
    const { Vpc } = await account.call(region, 'CreateVpc', {
      CidrBlock: '10.0.0.0/16',
      TagSpecifications: [{ ResourceType: 'vpc', Tags: tags(own) }],
    });
    const { Subnet } = await account.call(region, 'CreateSubnet', {
      VpcId: Vpc.VpcId,
      CidrBlock: '10.0.0.0/24',
      AvailabilityZone: `${region}a`,
      TagSpecifications: [{ ResourceType: 'subnet', Tags: tags(own) }],
    });
    const { GroupId } = await account.call(region, 'CreateSecurityGroup', {
      VpcId: Vpc.VpcId,
      GroupName: `${cluster}-lb`,
      Description: 'somebody else',
      TagSpecifications: [{ ResourceType: 'security-group', Tags: tags(own) }],
    });
    for (const id of [Vpc.VpcId, Subnet.SubnetId, GroupId]) planted.add(id);
  }
  return planted;
};

export const foreign = ({ world, planted }: Setting & { planted: ReadonlySet<string> }): Invariant => ({
  onCall: ({ action, input, happened }) => {
    if (!happened || /^(Describe|List|Get)/.test(action)) return;
    const text = JSON.stringify(input);
    for (const id of planted)
      if (text.includes(`"${id}"`))
        throw new Violation("others' resources", `${action} names ${id}, which is somebody else's`);
  },
  atEnd: () => {
    const left = new Set(world.account.list().map(({ id }) => id));
    for (const id of planted) if (!left.has(id)) throw new Violation("others' resources", `${id} is gone`);
  },
});
