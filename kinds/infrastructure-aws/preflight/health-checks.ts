/** Checks that the load balancer's health check can succeed at an API server. */

import { found } from '../../../machinery/api/reconcile.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { normalVersion } from '../../common/validate.ts';
import { defaultApiPorts } from '../network/api-ports.ts';

import { desiredClassic } from '../network/desired-load-balancer.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

/** Classic load balancers offer only cipher suites that Go 1.22 dropped, with which this version is built. */
const withoutCiphers = 30;

const mostTimeout = 60;

export const judgeHealthChecks = (facts: PreflightFacts): Finding[] => {
  const infrastructure = found(facts.awsCluster);
  const desired = infrastructure && desiredClassic(infrastructure.spec ?? {}, facts.owner, defaultApiPorts);
  if (!desired) return [];
  const at = `${nameOf(infrastructure)} spec.controlPlaneLoadBalancer`;
  const { Interval, Timeout } = desired.check;
  return [
    ...judgeProtocol(`${at}.healthCheckProtocol`, desired.spec.healthCheckProtocol ?? 'TCP', facts),
    ...(Timeout >= Interval
      ? [
          refused(
            `${at}.healthCheck: a timeout of ${Timeout} seconds is not shorter than the interval of ${Interval}: lower timeoutSeconds, or raise intervalSeconds`,
          ),
        ]
      : []),
    ...(Timeout > mostTimeout
      ? [
          refused(
            `${at}.healthCheck.timeoutSeconds: a classic load balancer waits for at most ${mostTimeout} seconds: lower it`,
          ),
        ]
      : []),
  ];
};

const judgeProtocol = (at: string, protocol: string, { machines }: PreflightFacts): Finding[] => {
  switch (protocol) {
    case 'TCP':
      return [];
    case 'SSL':
    case 'HTTPS': {
      const versions = machines.filter(({ controlPlane }) => controlPlane).flatMap(({ version }) => version ?? []);
      const version = versions.find((one) => (parseVersion(normalVersion(one))?.minor ?? 0) >= withoutCiphers);
      return version
        ? [
            refused(
              `${at}: an API server of ${version} has no cipher suite in common with the ${protocol} check of a classic load balancer: choose TCP`,
            ),
          ]
        : [];
    }
    case 'HTTP':
      return [refused(`${at}: an API server answers HTTP with an error: choose TCP`)];
    default:
      return [refused(`${at}: a classic load balancer has no ${protocol} check: choose TCP`)];
  }
};
