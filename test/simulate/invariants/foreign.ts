/** What is not Capstan's is never touched, however much it looks like it. */
import { CloudError, isNotFound } from '../../../kinds/ports/cloud.ts';
import type { Account } from '../../../simulation/aws/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const region = 'eu-central-1';

/** A read may not see yet what was just made. */
const patiently = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === 100 || !(error instanceof CloudError && isNotFound(error.code))) throw error;
    }
  }
};

const specification = (ResourceType: string, all: Record<string, string>) => [
  { ResourceType, Tags: Object.entries(all).map(([Key, Value]) => ({ Key, Value })) },
];

/** Somebody else's: without tags of ours, with another installation's, and with the cluster's name and no more. */
export const plant = async (account: Account, cluster: string): Promise<ReadonlySet<string>> => {
  const owners: Record<string, string>[] = [
    { Owner: 'somebody' },
    { 'capstan.dev/installation': 'there', 'capstan.dev/cluster-uid': '00000000-0000-4000-8000-000000000000' },
    { [`sigs.k8s.io/cluster-api-provider-aws/cluster/${cluster}`]: 'owned', Name: `${cluster}-vpc` },
  ];
  const planted = new Set<string>();
  for (const tags of owners) {
    const TagSpecifications = specification('vpc', tags);
    const { Vpc } = await account.call(region, 'CreateVpc', { CidrBlock: '10.0.0.0/16', TagSpecifications });
    const { VpcId } = Vpc;
    const { Subnet } = await patiently(() =>
      account.call(region, 'CreateSubnet', {
        VpcId,
        CidrBlock: '10.0.0.0/24',
        AvailabilityZone: `${region}a`,
        TagSpecifications: specification('subnet', tags),
      }),
    );
    const { GroupId } = await patiently(() =>
      account.call(region, 'CreateSecurityGroup', {
        VpcId,
        GroupName: `${cluster}-lb`,
        Description: 'somebody else',
        TagSpecifications: specification('security-group', tags),
      }),
    );
    for (const id of [VpcId, Subnet.SubnetId, GroupId]) planted.add(id);
  }
  return planted;
};

export const foreign = ({ world, planted }: Setting): Invariant => ({
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
