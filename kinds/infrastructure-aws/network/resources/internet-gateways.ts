import type { InternetGateway } from '../../../ports/cloud/index.ts';
import { call, create } from '../../engine/resource.ts';
import { internetGatewayReady } from '../conditions.ts';
import type { NetworkResource, Scope } from '../scope.ts';

type Seen = Pick<Scope['cloudState'], 'vpc' | 'internetGateways'>;

/** The internet gateway that leads out of the cluster's own network. */
export const attachedGateway = ({ vpc, internetGateways }: Seen): InternetGateway | undefined =>
  internetGateways.find(({ Attachments }) => Attachments.some(({ VpcId }) => VpcId === vpc?.VpcId));

/** The internet gateway in use, out of those created for a network. */
export const usedGateway = (observed: Seen): InternetGateway | undefined =>
  attachedGateway(observed) ?? observed.internetGateways[0];

export const internetGateways: NetworkResource<InternetGateway> = {
  sort: 'internet-gateway',
  title: 'internet gateway',
  events: ['CreateInternetGateway', 'AttachInternetGateway', 'DetachInternetGateway', 'DeleteInternetGateway'],
  condition: { type: internetGatewayReady, started: 'InternetGatewayCreationStarted', failed: 'InternetGatewayFailed' },
  list: 'internetGateways',
  inUnmanagedNetwork: 'unused',
  depth: 0,
  ec2: ['internet-gateway'],
  repeats: 'once',
  desired: ({ owner, network, cloudState }) => {
    const { vpc } = cloudState;
    if (vpc?.unmanaged || !(network.subnets ?? []).some(({ isPublic }) => isPublic)) return [];
    if (!vpc) return 'later';
    const there = usedGateway(cloudState);
    const attachment = there?.Attachments.find(({ VpcId }) => VpcId === vpc.VpcId);
    const attach = { InternetGatewayId: there?.InternetGatewayId ?? '', VpcId: vpc.VpcId };
    return [
      {
        there,
        noted: network.vpc?.internetGatewayId,
        create: create('CreateInternetGateway', {}),
        tags: { name: `${owner.clusterName}-igw` },
        repairs: { attachment: attachment ? undefined : call('AttachInternetGateway', attach) },
        awaited: attachment?.State === 'attaching' ? ['attachment'] : [],
      },
    ];
  },
  awaiting: ({ network, cloudState }) => {
    const there = usedGateway(cloudState)?.InternetGatewayId;
    if (there) return `Attaching internet gateway ${there}`;
    const noted = network.vpc?.internetGatewayId;
    return noted ? `Waiting for internet gateway ${noted}` : 'Creating the internet gateway';
  },
  duplicates: ({ cloudState }) =>
    attachedGateway(cloudState) && !cloudState.vpc?.unmanaged
      ? cloudState.internetGateways.filter(({ Attachments }) => Attachments.length === 0)
      : [],
  uses: ['vpcs'],
  turn: () => 'last',
  remove: ({ InternetGatewayId, Attachments: [attached] }) =>
    attached
      ? [
          {
            ...call('DetachInternetGateway', { InternetGatewayId, VpcId: attached.VpcId }),
            id: `${InternetGatewayId}/attachment`,
          },
        ]
      : [call('DeleteInternetGateway', { InternetGatewayId })],
};
