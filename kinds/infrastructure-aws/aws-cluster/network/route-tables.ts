import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import type { RouteTable } from '../../../ports/cloud.ts';
import { callCloud } from '../../../ports/index.ts';
import { failedPart, partOf, routeTablesReady } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import type { Step } from '../step.ts';
import { clientToken, evidence, purposeTag, tagMap, tagSpecifications, tagsOf } from '../tags.ts';
import type { SubnetSpec } from './fill.ts';
import { isAttachedTo } from './internet-gateway.ts';
import { gatewayOfZone, gatewaySubnets, zoneOfGateway } from './nat-gateways.ts';
import { observedSubnet } from './subnets.ts';
import { isWavelength } from './wavelength.ts';

const everywhere = '0.0.0.0/0';

/** The route table of a subnet: the associated one, else the one created for it. */
export const routeTableOf = (
  subnet: SubnetSpec,
  subnetId: string | undefined,
  tables: readonly RouteTable[],
): RouteTable | undefined =>
  tables.find(({ Associations }) => subnetId && Associations.some(({ SubnetId }) => SubnetId === subnetId)) ??
  tables.find(({ Tags }) => tagMap(Tags)[purposeTag] === `route-table/${subnet.id}`);

/**
 * One route table a subnet with one route: through the internet gateway, or through the zone's NAT
 * gateway.
 */
export const planRouteTables = (scope: Scope): Part => {
  const { owner, region, network, observed } = scope;
  const { vpc } = observed;
  if (vpc?.unmanaged) return settled(legacyTrue(routeTablesReady));
  if (!vpc) return notYet;
  const steps: Step[] = [];
  const underway: string[] = [];
  for (const subnet of network.subnets ?? []) {
    const there = observedSubnet(subnet, observed.subnets);
    const key = `route-table/${subnet.id}`;
    const table = routeTableOf(subnet, there?.SubnetId, observed.routeTables);
    if (!table) {
      steps.push({
        key,
        actions: (since) => [
          callCloud(region, 'CreateRouteTable', {
            VpcId: vpc.VpcId,
            ClientToken: clientToken(owner, key, since),
            TagSpecifications: tagSpecifications(
              'route-table',
              tagsOf(owner, {
                name: `${owner.clusterName}-rt-${subnet.isPublic ? 'public' : 'private'}-${subnet.availabilityZone}`,
                role: 'common',
                purpose: key,
              }),
            ),
          }),
        ],
      });
      continue;
    }
    const target = targetOf(scope, subnet);
    if (target === 'none')
      return failedPart(
        routeTablesReady,
        `no NAT gateway is available in zone ${subnet.availabilityZone}: add a public subnet there`,
      );
    if (target === 'later') underway.push(`${key}/route`);
    else steps.push(...routeStep(scope, key, table, target));
    if (!there) underway.push(`${key}/association`);
    else if (!table.Associations.some(({ SubnetId }) => SubnetId === there.SubnetId))
      steps.push({
        key: `${key}/association`,
        actions: () => [
          callCloud(region, 'AssociateRouteTable', { RouteTableId: table.RouteTableId, SubnetId: there.SubnetId }),
        ],
      });
  }
  return partOf(routeTablesReady, steps, underway, 'Setting up the route tables');
};

type Target = { GatewayId: string } | { NatGatewayId: string } | { CarrierGatewayId: string };

const targetOf = (scope: Scope, subnet: SubnetSpec): Target | 'later' | 'none' => {
  const { network, observed } = scope;
  if (subnet.isPublic && isWavelength(subnet)) {
    const [carrier] = observed.carrierGateways;
    return carrier?.State === 'available' ? { CarrierGatewayId: carrier.CarrierGatewayId } : 'later';
  }
  if (subnet.isPublic) {
    const gateway = observed.internetGateway;
    const isAttached = gateway && isAttachedTo(observed.vpc?.VpcId)(gateway);
    return isAttached ? { GatewayId: gateway.InternetGatewayId } : 'later';
  }
  const zone = zoneOfGateway(subnet);
  if (!gatewaySubnets(network.subnets ?? []).some(({ availabilityZone }) => availabilityZone === zone)) return 'none';
  const gateway = gatewayOfZone(scope, subnet);
  return gateway?.State === 'available' ? { NatGatewayId: gateway.NatGatewayId } : 'later';
};

const routeStep = ({ owner, region }: Scope, key: string, table: RouteTable, target: Target): Step[] => {
  const route = table.Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === everywhere);
  const input = { RouteTableId: table.RouteTableId, DestinationCidrBlock: everywhere, ...target };
  const leads = (key: string, id: string) => (route as Record<string, unknown> | undefined)?.[key] === id;
  if (Object.entries(target).every(([key, id]) => leads(key, id))) return [];
  const action = route
    ? callCloud(region, 'ReplaceRoute', input, evidence(owner))
    : callCloud(region, 'CreateRoute', input);
  return [{ key: `${key}/route`, actions: () => [action] }];
};
