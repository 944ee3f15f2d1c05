import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import { callCloud } from '../../../ports/index.ts';
import { carrierGatewayReady, partOf } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import { clientToken, tagSpecifications, tagsOf } from '../tags.ts';
import { needsCarrierGateway } from './wavelength.ts';

/** Public subnets in Wavelength zones need a carrier gateway. */
export const planCarrierGateway = ({ owner, region, network, observed }: Scope): Part => {
  const { vpc, carrierGateways } = observed;
  if (!needsCarrierGateway(network) || vpc?.unmanaged) return settled();
  if (!vpc) return notYet;
  const key = 'carrier-gateway';
  const [gateway] = carrierGateways;
  if (gateway)
    return gateway.State === 'available'
      ? settled(legacyTrue(carrierGatewayReady))
      : partOf(carrierGatewayReady, [], [key], `Waiting for carrier gateway ${gateway.CarrierGatewayId}`);
  const create = (since: number) =>
    callCloud(region, 'CreateCarrierGateway', {
      VpcId: vpc.VpcId,
      ClientToken: clientToken(owner, key, since),
      TagSpecifications: tagSpecifications(
        'carrier-gateway',
        tagsOf(owner, { name: `${owner.clusterName}-cagw`, role: 'common', purpose: key }),
      ),
    });
  return partOf(
    carrierGatewayReady,
    [{ key, actions: (since) => [create(since)] }],
    [],
    'Creating the carrier gateway',
  );
};
