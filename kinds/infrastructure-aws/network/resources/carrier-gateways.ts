import type { CarrierGateway } from '../../../ports/cloud/index.ts';
import { call, create } from '../../engine/resource.ts';
import { carrierGatewayReady } from '../conditions.ts';
import type { NetworkResource } from '../scope.ts';
import { needsCarrierGateway } from '../wavelength.ts';

/** Public subnets in Wavelength zones need a carrier gateway. */
export const carrierGateways: NetworkResource<CarrierGateway> = {
  sort: 'carrier-gateway',
  title: 'carrier gateway',
  events: ['CreateCarrierGateway', 'DeleteCarrierGateway'],
  condition: { type: carrierGatewayReady, started: 'CarrierGatewayCreationStarted', failed: 'CarrierGatewayFailed' },
  isOptional: true,
  list: 'carrierGateways',
  isPossible: ({ spec }) => needsCarrierGateway(spec.network),
  depth: 0,
  ec2: ['carrier-gateway'],
  repeats: 'token',
  desired: ({ owner, network, cloudState: { vpc, carrierGateways } }) => {
    if (!needsCarrierGateway(network) || vpc?.unmanaged) return [];
    if (!vpc) return 'later';
    const tags = { name: `${owner.clusterName}-cagw` };
    return [{ there: carrierGateways[0], create: create('CreateCarrierGateway', { VpcId: vpc.VpcId }), tags }];
  },
  awaiting: ({
    cloudState: {
      carrierGateways: [there],
    },
  }) => (there ? `Waiting for carrier gateway ${there.CarrierGatewayId}` : 'Creating the carrier gateway'),
  uses: ['vpcs'],
  turn: () => 'last',
  remove: ({ CarrierGatewayId }) => [call('DeleteCarrierGateway', { CarrierGatewayId })],
};
