/** Clients are told of a load balancer's name once it resolves: whoever asks too early keeps the answer that there is none. */
import type { AWSCluster } from '../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { CloudError } from '../../../kinds/ports/cloud.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { region } from './tags.ts';

type Place = { host?: string; port?: number } | undefined;
const placeOf = (object: AWSCluster | undefined): Place => object?.spec?.controlPlaneEndpoint;

export const resolved = ({ world }: Setting): Invariant => {
  const { account, mirror } = world;
  const expectKnown = async (name: string, { host, port }: NonNullable<Place>) => {
    for (const { id } of account.list().filter(({ type }) => type === 'load-balancer')) {
      const { Listeners } = await account.call(region, 'DescribeListeners', { LoadBalancerArn: id });
      const isUnknown = Listeners.some(
        ({ Endpoint }) => Endpoint.Host === host && Endpoint.Port === port && !Endpoint.Resolves,
      );
      if (isUnknown)
        throw new Violation('resolved', `${name} is said to be at ${host}:${port}, which does not resolve yet`);
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
        // It may be gone again, or nobody may look.
        if (!(error instanceof CloudError)) mirror.breaks(error);
      });
    },
  };
};
