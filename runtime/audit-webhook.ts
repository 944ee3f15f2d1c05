/**
 * Receives what the API servers of workload clusters report. A report only wakes a controller,
 * which reads the cluster itself: its content is never trusted as state.
 */
import { scalingPlan } from '../kinds/autoscaling/scaling-plan/kind.ts';
import { tokenIdOf } from '../kinds/common/webhook-token.ts';
import { cluster as clusterKind } from '../kinds/core/cluster/kind.ts';
import { secretName } from '../kinds/core/contract/cluster-secrets.ts';
import { pushPath } from '../kinds/core/contract/push/configuration.ts';
import { type PushedEvent, pushRuleOf, type WokenController } from '../kinds/core/contract/push/rules.ts';
import { secret as secretKind } from '../kinds/kubernetes/secret/kind.ts';
import { ApiError, badRequest } from '../machinery/api/errors.ts';
import { resourceOf } from '../machinery/api/kind.ts';
import { keyOf, type ObjectKey } from '../machinery/api/object.ts';
import type { Work } from '../machinery/controller/index.ts';
import type { Clock, Log, Table } from '../machinery/ports.ts';
import { readBody } from '../machinery/server/body.ts';
import {
  failureResponse,
  jsonResponse,
  methodNotAllowed,
  notServed,
  unauthorized,
} from '../machinery/server/status.ts';
import { resourceKey } from '../machinery/store/items.ts';

export interface AuditWebhookPorts {
  /** The table of objects, of which it reads the index of tokens alone. */
  objects: Pick<Table, 'get'>;
  workItems: Pick<Work, 'request' | 'report'>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

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

/** The store's type of the object that each controller reconciles. */
const typeOf: Record<WokenController, string> = {
  'workload-prober': resourceOf(clusterKind),
  autoscaler: resourceOf(scalingPlan),
};
const controllers = Object.keys(typeOf) as WokenController[];
const secrets = resourceOf(secretKind);

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

/** A bearer token; undefined for anything that no API server sends. */
const tokenOf = (request: Request): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.get('authorization') ?? '')?.[1];

export const createAuditWebhook = ({ objects, workItems, clock, log }: AuditWebhookPorts): AuditWebhook => {
  const verdicts = bounded<{ at: number; isValid: boolean }>();
  /** The times of the last wake-ups, which may be yet to come. */
  const wakes = bounded<{ urgent: number; later: number }>();
  const records = bounded<number>();

  /** Whether the Secret of this cluster has the token. */
  const isValid = async (id: string, { namespace, name }: ObjectKey): Promise<boolean> => {
    const entry = resourceKey(secrets, id, { namespace, name: secretName(name, 'audit-webhook') });
    const known = verdicts.get(`${entry.pk} ${entry.sk}`);
    if (known && clock.now() - known.at < believed) return known.isValid;
    const found = (await objects.get(entry, { consistent: true })) !== undefined;
    verdicts.set(`${entry.pk} ${entry.sk}`, { at: clock.now(), isValid: found });
    return found;
  };

  const authenticate = async (request: Request, cluster: ObjectKey): Promise<void> => {
    const token = tokenOf(request);
    if (token === undefined || !(await isValid(tokenIdOf(token), cluster))) throw unauthorized();
  };

  const itemOf = (controller: WokenController, cluster: ObjectKey) => ({
    controller,
    type: typeOf[controller],
    ...cluster,
  });

  /**
   * The first report that is urgent wakes at once. Further ones share a wake-up `spacing` later, whose
   * pass reads what all of them changed; others share one that is `within` seconds later.
   */
  const wake = async (controller: WokenController, cluster: ObjectKey, within: number, now: number): Promise<void> => {
    const id = `${controller}/${keyOf(cluster)}`;
    const planned = wakes.get(id) ?? { urgent: Number.NEGATIVE_INFINITY, later: Number.NEGATIVE_INFINITY };
    if (now < planned.urgent || (within > 0 && now < planned.later)) return;
    const after = within > 0 ? within * 1000 : now - planned.urgent < spacing ? spacing : 0;
    await workItems.request(itemOf(controller, cluster), {
      urgent: true,
      reported: now,
      ...(after > 0 && { after: after / 1000 }),
    });
    wakes.set(id, { ...planned, [within > 0 ? 'later' : 'urgent']: now + after });
    records.set(id, now);
  };

  /** Records the proof that reports arrive for a controller that was not woken. */
  const record = async (controller: WokenController, cluster: ObjectKey, now: number): Promise<void> => {
    const id = `${controller}/${keyOf(cluster)}`;
    if (now - (records.get(id) ?? Number.NEGATIVE_INFINITY) < recordSpacing) return;
    await workItems.report(itemOf(controller, cluster), now);
    records.set(id, now);
  };

  const receive = async (request: Request, cluster: ObjectKey): Promise<Response> => {
    if (cluster.name === '') throw notServed();
    if (request.method !== 'POST') throw methodNotAllowed({ group: '', plural: 'audit' }, request.method.toLowerCase());
    await authenticate(request, cluster);
    const rules = eventsIn(await readBody(request)).flatMap((event) => pushRuleOf(event) ?? []);
    const now = clock.now();
    const serve = (controller: WokenController): Promise<void> => {
      const woken = rules.filter(({ wakes: one }) => one === controller);
      if (woken.length === 0) return record(controller, cluster, now);
      return wake(controller, cluster, Math.min(...woken.map(({ within = 0 }) => within)), now);
    };
    if (rules.length > 0) await Promise.all(controllers.map(serve));
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
