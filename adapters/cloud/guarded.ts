/**
 * The cloud as the controllers' loop reaches it. Nothing is destroyed without positive evidence: just before a destructive
 * call the named resources are read again, and must carry the tags that the caller gives as proof of ownership.
 */
import {
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  isNotFound,
  type Tag,
} from '../../kinds/ports/cloud.ts';
import type { JsonValue } from '../../machinery/api/object.ts';

/** The port as the loop knows it. `read` answers undefined for what is definitely not there. */
export interface GuardedCloud {
  read(operation: string, input: JsonValue): Promise<unknown>;
  call(operation: string, input: JsonValue): Promise<void>;
}

interface Request<A extends CloudAction> {
  region: string;
  input: CloudInput<A>;
  /** Tags that every named resource must still carry. */
  owned?: Record<string, string>;
}

type Tagged = { id: string; tags: Tag[] };
/** The tags of what a call names, as they are now; what is not there is left out, or refused as not found. */
type Evidence<A extends CloudAction> = (cloud: Cloud, region: string, input: CloudInput<A>) => Promise<Tagged[]>;

const vpc = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeVpcs', { VpcIds: [id] })).Vpcs.map(({ Tags }) => ({ id, tags: Tags }));
const internetGateway = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeInternetGateways', { InternetGatewayIds: [id] })).InternetGateways.map(
    ({ Tags }) => ({ id, tags: Tags }),
  );
const routeTable = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeRouteTables', { RouteTableIds: [id] })).RouteTables.map(({ Tags }) => ({
    id,
    tags: Tags,
  }));
/** The default group comes and goes with its VPC, and carries no tags: whose the VPC is, his is the group. */
const securityGroup = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> => {
  const { SecurityGroups } = await cloud.call(region, 'DescribeSecurityGroups', { GroupIds: [id] });
  const proofs = SecurityGroups.map(({ GroupName, VpcId, Tags }) =>
    GroupName === 'default' ? vpc(cloud, region, VpcId) : [{ id, tags: Tags }],
  );
  return (await Promise.all(proofs)).flat();
};
const balancing = async (cloud: Cloud, region: string, arn: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeLoadBalancerTags', { ResourceArns: [arn] })).TagDescriptions.map(
    ({ ResourceArn, Tags }) => ({ id: ResourceArn, tags: Tags }),
  );

const evidence: { [A in CloudAction]?: Evidence<A> } = {
  DeleteVpc: (cloud, region, { VpcId }) => vpc(cloud, region, VpcId),
  DeleteSubnet: async (cloud, region, { SubnetId }) =>
    (await cloud.call(region, 'DescribeSubnets', { SubnetIds: [SubnetId] })).Subnets.map(({ Tags }) => ({
      id: SubnetId,
      tags: Tags,
    })),
  DetachInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateway(cloud, region, InternetGatewayId),
  DeleteInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateway(cloud, region, InternetGatewayId),
  DeleteCarrierGateway: async (cloud, region, { CarrierGatewayId }) =>
    (
      await cloud.call(region, 'DescribeCarrierGateways', { CarrierGatewayIds: [CarrierGatewayId] })
    ).CarrierGateways.map(({ Tags }) => ({ id: CarrierGatewayId, tags: Tags })),
  DeleteNatGateway: async (cloud, region, { NatGatewayId }) =>
    (await cloud.call(region, 'DescribeNatGateways', { NatGatewayIds: [NatGatewayId] })).NatGateways.map(
      ({ Tags }) => ({ id: NatGatewayId, tags: Tags }),
    ),
  ReleaseAddress: async (cloud, region, { AllocationId }) =>
    (await cloud.call(region, 'DescribeAddresses', { AllocationIds: [AllocationId] })).Addresses.map(({ Tags }) => ({
      id: AllocationId,
      tags: Tags,
    })),
  DeleteRouteTable: (cloud, region, { RouteTableId }) => routeTable(cloud, region, RouteTableId),
  ReplaceRoute: (cloud, region, { RouteTableId }) => routeTable(cloud, region, RouteTableId),
  DisassociateRouteTable: async (cloud, region, { AssociationId }) => {
    const Filters = [{ Name: 'association.route-table-association-id', Values: [AssociationId] }];
    const { RouteTables } = await cloud.call(region, 'DescribeRouteTables', { Filters });
    return RouteTables.map(({ RouteTableId, Tags }) => ({ id: RouteTableId, tags: Tags }));
  },
  DeleteVpcEndpoints: async (cloud, region, { VpcEndpointIds }) =>
    (await cloud.call(region, 'DescribeVpcEndpoints', { VpcEndpointIds })).VpcEndpoints.map(
      ({ VpcEndpointId, Tags }) => ({ id: VpcEndpointId, tags: Tags }),
    ),
  RevokeSecurityGroupIngress: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  RevokeSecurityGroupEgress: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  DeleteSecurityGroup: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  TerminateInstances: async (cloud, region, { InstanceIds }) =>
    (await cloud.call(region, 'DescribeInstances', { InstanceIds })).Reservations.flatMap(({ Instances }) =>
      Instances.map(({ InstanceId, Tags }) => ({ id: InstanceId, tags: Tags })),
    ),
  DeleteLoadBalancer: (cloud, region, { LoadBalancerArn }) => balancing(cloud, region, LoadBalancerArn),
  DeleteTargetGroup: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, TargetGroupArn),
  DeregisterTargets: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, TargetGroupArn),
  DeleteListener: (cloud, region, { ListenerArn }) => balancing(cloud, region, ListenerArn),
  DeleteParameter: async (cloud, region, { Name }) => {
    const { TagList } = await cloud.call(region, 'ListTagsForResource', {
      ResourceType: 'Parameter',
      ResourceId: Name,
    });
    return [{ id: Name, tags: TagList }];
  },
  DeleteSecret: async (cloud, region, { SecretId }) => {
    // Not the list: it may miss what was made, and show what was deleted, in the last five minutes.
    const { Tags } = await cloud.call(region, 'DescribeSecret', { SecretId });
    return [{ id: SecretId, tags: Tags }];
  },
};

const destroys = /^(Delete|Terminate|Detach|Disassociate|Release|Revoke|Replace|Deregister)/;

const prove = async <A extends CloudAction>(
  cloud: Cloud,
  operation: A,
  { region, input, owned }: Request<A>,
): Promise<'owned' | 'absent'> => {
  const look = evidence[operation] as Evidence<A> | undefined;
  if (!look || !owned || Object.keys(owned).length === 0)
    throw new CloudError('NotOwned', `${operation} destroys, and came without proof of ownership`);
  const resources = await look(cloud, region, input);
  for (const { id, tags } of resources)
    for (const [key, value] of Object.entries(owned))
      if (!tags.some((tag) => tag.Key === key && tag.Value === value))
        throw new CloudError('NotOwned', `${operation}: ${id} does not carry the tag ${key}=${value}`);
  return resources.length > 0 ? 'owned' : 'absent';
};

// What time or a person must change: asked again after as long as the plan says, not ever more rarely.
const waits = /^(Invalid|Insufficient|Unsupported$|DependencyViolation$)|NotFound$|LimitExceeded$/;
const failed = (error: unknown, message?: string): unknown => {
  if (!(error instanceof CloudError)) return error;
  const known = message === undefined ? error : new CloudError(error.code, message, { cause: error });
  return waits.test(error.code) ? Object.assign(known, { consequence: 'wait' }) : known;
};

export const guarded = (cloud: Cloud): GuardedCloud => ({
  read: async (operation, request) => {
    const { region, input } = request as unknown as Request<CloudAction>;
    try {
      return await cloud.call(region, operation as CloudAction, input);
    } catch (error) {
      if (error instanceof CloudError && isNotFound(error.code)) return undefined;
      // Of a read that fails, conditions show nothing but the message.
      throw failed(error, error instanceof CloudError ? `${error.code}: ${error.message}` : undefined);
    }
  },
  call: async (operation, request) => {
    const action = operation as CloudAction;
    const given = request as unknown as Request<CloudAction>;
    const destructive = destroys.test(operation);
    try {
      if (destructive && (await prove(cloud, action, given)) === 'absent') return;
      await cloud.call(given.region, action, given.input);
    } catch (error) {
      // Gone already is what was wanted.
      if (destructive && error instanceof CloudError && isNotFound(error.code)) return;
      throw failed(error);
    }
  },
});
