/**
 * Receives what the API servers of workload clusters report. A report only wakes a controller,
 * which reads the cluster itself: its content is never trusted as state.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Secret, secretName, secretType, secretValue } from '../kinds/core/contract/cluster-secrets.ts';
import { pushPath } from '../kinds/core/contract/push/configuration.ts';
import { type PushedEvent, pushRuleOf, type WokenController } from '../kinds/core/contract/push/rules.ts';
import { ApiError, badRequest } from '../machinery/api/errors.ts';
import { keyOf, type ObjectKey } from '../machinery/api/object.ts';
import { readBody } from '../machinery/server/body.ts';
import {
  failureResponse,
  jsonResponse,
  methodNotAllowed,
  notServed,
  unauthorized,
} from '../machinery/server/status.ts';
import type { Foundation } from './foundation.ts';

export interface AuditWebhook {
  /** Undefined for a request to another path. Never rejects. */
  fetch(request: Request): Promise<Response> | undefined;
}

/** Milliseconds for which a process trusts a token that it read, and the lack of one. */
const believed = 30_000;
/** Milliseconds between two wake-ups of a cluster; the second covers all reports in between. */
const spacing = 3000;
/** Milliseconds between two records of reports that wake no controller. */
const recordSpacing = 60_000;
/** Clusters that a process keeps in memory; the paths of a flood are arbitrary. */
const mostKnown = 1000;
/** An API server sends at most a hundred. */
const mostEvents = 1000;

const kindOf = { 'workload-prober': 'Cluster', autoscaler: 'ScalingPlan' } as const;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Values by key that are forgotten together when there are too many. */
const bounded = <T>() => {
  const values = new Map<string, T>();
  return {
    get: (key: string) => values.get(key),
    set: (key: string, value: T) => {
      if (values.size >= mostKnown) values.clear();
      values.set(key, value);
    },
  };
};

const eventsIn = (bytes: Uint8Array): PushedEvent[] => {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw badRequest('the body is not JSON');
  }
  const { kind, items } = (list ?? {}) as { kind?: unknown; items?: unknown };
  if (kind !== 'EventList' || !Array.isArray(items))
    throw badRequest('the body is not an EventList of audit.k8s.io/v1');
  return items.slice(0, mostEvents).filter((item) => typeof item === 'object' && item !== null);
};

/** Namespace and name of the cluster; undefined for another path. */
const clusterAt = (url: string): ObjectKey | undefined => {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(`${pushPath}/`)) return undefined;
  const [namespace = '', name = '', ...rest] = pathname.slice(pushPath.length + 1).split('/');
  const isName = (text: string) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text) && text.length <= 253;
  if (!isName(namespace) || !isName(name) || rest.length > 0) return { namespace: '', name: '' };
  return { namespace, name };
};

export const createAuditWebhook = ({
  store,
  kinds,
  workItems,
  clock,
  log,
}: Pick<Foundation, 'store' | 'kinds' | 'workItems' | 'clock' | 'log'>): AuditWebhook => {
  const tokens = bounded<{ at: number; expected: Buffer | undefined }>();
  const wakes = bounded<{ at: number; coveredUntil: number }>();
  const records = bounded<number>();

  const expectedFor = async ({ namespace, name }: ObjectKey): Promise<Buffer | undefined> => {
    const id = keyOf({ namespace, name });
    const known = tokens.get(id);
    if (known && clock.now() - known.at < believed) return known.expected;
    const key = { namespace, name: secretName(name, 'audit-webhook') };
    const secret = (await store.get(kinds.typeOf('Secret'), key)) as Secret | undefined;
    const token = secret?.type === secretType ? secretValue(secret, 'token') : undefined;
    const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
    tokens.set(id, { at: clock.now(), expected });
    return expected;
  };

  const authenticate = async (request: Request, cluster: ObjectKey): Promise<void> => {
    const given = digest(request.headers.get('authorization') ?? '');
    const expected = await expectedFor(cluster);
    // Compares also without a token, so that the time does not tell whether the cluster exists.
    const isEqual = timingSafeEqual(given, expected ?? Buffer.alloc(given.length));
    if (!expected || !isEqual) throw unauthorized();
  };

  const itemOf = (controller: WokenController, cluster: ObjectKey) => ({
    controller,
    type: kinds.typeOf(kindOf[controller]),
    ...cluster,
  });

  /**
   * The first report wakes at once. Further ones share a wake-up `spacing` later, whose pass reads
   * what all of them changed.
   */
  const wake = async (controller: WokenController, cluster: ObjectKey, now: number): Promise<void> => {
    const id = `${controller}/${keyOf(cluster)}`;
    const last = wakes.get(id);
    if (last && now < last.coveredUntil) return;
    const after = last && now - last.at < spacing ? spacing : 0;
    await workItems.request(itemOf(controller, cluster), {
      urgent: true,
      reported: now,
      ...(after > 0 && { after: after / 1000 }),
    });
    wakes.set(id, { at: now + after, coveredUntil: now + after });
    if (controller === 'workload-prober') records.set(keyOf(cluster), now);
  };

  const record = async (cluster: ObjectKey, now: number): Promise<void> => {
    const id = keyOf(cluster);
    if (now - (records.get(id) ?? Number.NEGATIVE_INFINITY) < recordSpacing) return;
    await workItems.report(itemOf('workload-prober', cluster), now);
    records.set(id, now);
  };

  const receive = async (request: Request, cluster: ObjectKey): Promise<Response> => {
    if (cluster.name === '') throw notServed();
    if (request.method !== 'POST') throw methodNotAllowed({ group: '', plural: 'audit' }, request.method.toLowerCase());
    await authenticate(request, cluster);
    const rules = eventsIn(await readBody(request)).flatMap((event) => pushRuleOf(event) ?? []);
    const woken = new Set(rules.flatMap(({ wakes: controller }) => controller ?? []));
    const now = clock.now();
    await Promise.all([...woken].map((controller) => wake(controller, cluster, now)));
    // Only the prober relies on the proof that reports arrive, and its own wake-up records it.
    if (rules.length > 0 && !woken.has('workload-prober')) await record(cluster, now);
    return jsonResponse({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
  };

  return {
    fetch: (request) => {
      const cluster = clusterAt(request.url);
      return (
        cluster &&
        receive(request, cluster).catch((error: unknown) => {
          if (!(error instanceof ApiError))
            log.error('A report of an API server was not received', { ...cluster, error });
          return failureResponse(error);
        })
      );
    },
  };
};
