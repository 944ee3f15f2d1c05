import type { EgressOnlyInternetGateway } from '../../../ports/cloud/index.ts';
import { call, create } from '../../engine/resource.ts';
import { egressOnlyInternetGatewayReady } from '../conditions.ts';
import { isIpv6, wantsIpv6 } from '../ipv6.ts';
import type { NetworkResource } from '../scope.ts';

/** Private subnets open connections over IPv6 through it. It lets none in. */
export const egressOnlyInternetGateways: NetworkResource<EgressOnlyInternetGateway> = {
  sort: 'egress-only-internet-gateway',
  title: 'egress-only internet gateway',
  eventNoun: 'EgressOnlyInternetGateway',
  events: ['CreateEgressOnlyInternetGateway', 'DeleteEgressOnlyInternetGateway'],
  condition: {
    type: egressOnlyInternetGatewayReady,
    started: 'EgressOnlyInternetGatewayCreationStarted',
    failed: 'EgressOnlyInternetGatewayFailed',
  },
  isOptional: true,
  list: 'egressOnlyInternetGateways',
  isPossible: ({ spec }) => wantsIpv6(spec),
  isAsked: true,
  inUnmanagedNetwork: 'unused',
  depth: 0,
  ec2: ['egress-only-internet-gateway'],
  repeats: 'token',
  state: ({ Attachments }) => (Attachments.some(({ State }) => State === 'attaching') ? 'pending' : 'ready'),
  desired: ({ owner, network, cloudState: { vpc, egressOnlyInternetGateways: all } }) => {
    const isNeeded = (network.subnets ?? []).some((subnet) => isIpv6(subnet) && !subnet.isPublic);
    if (!wantsIpv6({ network }) || !isNeeded || vpc?.unmanaged) return [];
    if (!vpc) return 'later';
    const tags = { name: `${owner.clusterName}-eigw` };
    return [{ there: all[0], create: create('CreateEgressOnlyInternetGateway', { VpcId: vpc.VpcId }), tags }];
  },
  awaiting: ({
    cloudState: {
      egressOnlyInternetGateways: [there],
    },
  }) =>
    there
      ? `Waiting for egress-only internet gateway ${there.EgressOnlyInternetGatewayId}`
      : 'Creating the egress-only internet gateway',
  uses: ['vpcs'],
  turn: () => 'last',
  remove: ({ EgressOnlyInternetGatewayId }) => [
    call('DeleteEgressOnlyInternetGateway', { EgressOnlyInternetGatewayId }),
  ],
};
