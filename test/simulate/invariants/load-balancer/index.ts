import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { CloudError } from '../../../../kinds/ports/cloud/index.ts';
import type { Rule, Rules } from '../rule.ts';
import { region } from '../tags.ts';
import { loadBalancerState } from './state.ts';

type Place = { host?: string; port?: number } | undefined;
const placeOf = (object: AWSCluster | undefined): Place => object?.spec?.controlPlaneEndpoint;

const endpointResolves: Rule = ({ world }, broken) => {
  const { account, mirror } = world;
  const expectKnown = async (name: string, { host, port }: NonNullable<Place>) => {
    for (const { id } of account.list().filter(({ type }) => type === 'load-balancer')) {
      const { Listeners } = await account.call(region, 'DescribeListeners', { LoadBalancerArn: id });
      const isUnknown = Listeners.some(
        ({ Endpoint }) => Endpoint.Host === host && Endpoint.Port === port && !Endpoint.Resolves,
      );
      if (isUnknown) throw broken(`${name} has the endpoint ${host}:${port}, which does not resolve yet`);
    }
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'AWSCluster' || writer !== 'aws-cluster') return;
      const infrastructure = object as AWSCluster;
      const place = placeOf(infrastructure);
      if (!place?.host || placeOf(before as AWSCluster | undefined)?.host) return;
      if (infrastructure.spec?.controlPlaneLoadBalancer?.dnsResolutionCheck === 'None') return;
      expectKnown(infrastructure.metadata.name, place).catch((error: unknown) => {
        // The load balancer may be gone, or the call may be denied.
        if (!(error instanceof CloudError)) mirror.breaks(error);
      });
    },
  };
};

export const loadBalancerRules: Rules = {
  'an endpoint is published once its DNS name resolves': endpointResolves,
  'load balancers match their spec and their status': loadBalancerState,
};
