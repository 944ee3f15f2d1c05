/** A network in one zone gets subnets in a second zone. */
import type { AWSCluster, AWSClusterSpec } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { Violation } from '../../invariants/rule.ts';
import type { ScenarioContext } from '../context.ts';
import { deleteAndCreateAgain } from '../operations/deletions.ts';
import { comesToBe, infrastructureOf } from './load-balancers.ts';
import { subnetsOf } from './options.ts';

const block = '10.30';
const zones = ['eu-central-1a', 'eu-central-1b'] as const;

export const addZone = async (context: ScenarioContext) => {
  const { client, draw, life, settled, desired } = context;
  await settled(60);
  if (!life.desired || desired.network) return;
  const [first, second] = zones.map((zone, index) => subnetsOf(`${desired.name}-${index}`, block, zone, 2 * index + 1));
  const vpc = { cidrBlock: `${block}.0.0/16` };
  // Sometimes the load balancer names its subnets and does not serve the new zone.
  const named = { controlPlaneLoadBalancer: { subnets: [first![0]!.id] } };
  const balancer = draw.chance(0.4) ? named : {};
  desired.infrastructure = { ...balancer, network: { vpc, subnets: first } } as AWSClusterSpec;
  await deleteAndCreateAgain(context);
  await settled(90);
  if (!(await comesToBe(context, `the load balancers of ${desired.name} in one zone`))) return;
  const own: AWSCluster | undefined = infrastructureOf(context);
  const there = own?.spec?.network?.subnets ?? [];
  if (!own || there.length !== first!.length) return;
  desired.infrastructure = { ...balancer, network: { vpc, subnets: [...first!, ...second!] } } as AWSClusterSpec;
  const { resourceVersion } = own.metadata;
  const { code, body } = await client.patch('AWSCluster', own.metadata.name, {
    metadata: { resourceVersion },
    spec: { network: { subnets: [...there, ...second!] } },
  });
  // Another writer may have changed the AWSCluster.
  if (code === 409) return;
  if (code >= 300) throw new Violation('another zone', `subnets in ${zones[1]} are answered ${code} ${body.message}`);
  await comesToBe(context, `the load balancers of ${desired.name} as its spec says, with a network in two zones`);
};
