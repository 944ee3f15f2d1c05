/** Checks of the API that the kubeconfig names. */
import type { Installation } from '../../kinds/capstan/installation/index.ts';
import { dataOf, messageOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';
import { sweepOf } from '../installation.ts';
import { type Check, type Finding, failed, ok, skipped, warning } from './check.ts';

/** Seconds of clock skew at which AWS refuses signatures, and at which a warning is due. */
const refusedSkew = 300;
const noticedSkew = 30;

/** A pure function. `there` and `here` in milliseconds. */
export const clockFinding = (there: number, here: number): Finding => {
  const seconds = Math.round(Math.abs(there - here) / 1000);
  const how = `${seconds}s ${here > there ? 'ahead of' : 'behind'} the server`;
  if (seconds >= refusedSkew) return failed(`this clock is ${how}: AWS refuses signatures from 5 minutes on; set it`);
  if (seconds >= noticedSkew) return warning(`this clock is ${how}: set it`);
  return ok(seconds === 0 ? 'agrees with the server' : how);
};

interface Review {
  status?: { allowed?: boolean; reason?: string; userInfo?: { username?: string } };
}

const review = async (client: ApiClient, path: string, body: object): Promise<Review> => {
  const answer = await client.request('POST', path, { body: JSON.stringify(body) });
  if (answer.code >= 400) throw new Error(messageOf(answer));
  return dataOf<Review>(answer.body);
};

const reachable = (client: ApiClient): Check => ({
  name: 'server',
  run: async () => {
    const began = Date.now();
    const { code } = await client.request('GET', '/version');
    const took = `${client.server} in ${Date.now() - began} ms`;
    return code >= 500 ? failed(`${took}: it answers ${code}; see capstan logs api`) : ok(took);
  },
});

const clock = (client: ApiClient): Check => ({
  name: 'clock',
  run: async () => {
    const { date } = await client.request('GET', '/version');
    return date === undefined ? warning('the server does not say its time') : clockFinding(date, Date.now());
  },
});

const credentials = (client: ApiClient): Check => ({
  name: 'credentials',
  run: async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await review(client, path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    return ok(`accepted as ${status?.userInfo?.username ?? 'an unnamed user'}`);
  },
});

const mayWith = async (client: ApiClient, verb: string, place: { namespace?: string }) => {
  const resourceAttributes = { verb, group: 'cluster.x-k8s.io', resource: 'clusters', ...place };
  const { status } = await review(client, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  });
  return { allowed: status?.allowed === true, why: status?.reason ? ` (${status.reason})` : '' };
};

const permissions = (client: ApiClient): Check => ({
  name: 'permissions',
  run: async () => {
    const { namespace } = client;
    const there = `in the namespace ${namespace}`;
    if ((await mayWith(client, 'create', {})).allowed) return ok('you may create clusters');
    if ((await mayWith(client, 'create', { namespace })).allowed) return ok(`you may create clusters ${there}`);
    const { allowed, why } = await mayWith(client, 'list', { namespace });
    const remedy = 'an administrator binds the role edit to you, see docs/access.md';
    if (allowed) return warning(`you may read clusters ${there}, and create none: ${remedy}`);
    return failed(
      `you may neither create nor read clusters ${there}${why}: ${remedy}, or you choose another namespace`,
    );
  },
});

const isForbidden = (error: unknown): boolean => error instanceof Error && / is forbidden: User /.test(error.message);

const installation = (client: ApiClient): Check => ({
  name: 'installation',
  run: async () => {
    let found: Installation | undefined;
    try {
      found = await client.find<Installation>('/apis/capstan.dev/v1alpha1/installations/capstan');
    } catch (error) {
      if (isForbidden(error)) return skipped('you may not read the object Installation');
      throw error;
    }
    if (!found) return failed('there is no object Installation capstan: restart the control plane');
    const { frozen, lastTransitionTime, orphanCount = 0 } = found.status ?? {};
    if (frozen) return failed(`frozen, ${frozen.reason}: nothing is acted on; see capstan status`);
    const swept = sweepOf(found, Date.now());
    if (lastTransitionTime === undefined) return warning(swept);
    return orphanCount > 0 ? warning(`${orphanCount} orphans: capstan orphans list`) : ok(`acts, no orphans. ${swept}`);
  },
});

export const checksOfServer = (client: ApiClient): Check[] =>
  [reachable, clock, credentials, permissions, installation].map((of) => of(client));
