/** `/metrics` in the format of Prometheus: of stored objects, and of what this process counts. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EndedPass, Kinds } from '../../machinery/controller/index.ts';
import type { AuditEvent } from '../../machinery/server/index.ts';
import type { Store } from '../../machinery/store/index.ts';
import { type Family, type Observed, objectFamilies } from './objects.ts';

const kindsOf: Record<keyof Observed, string> = {
  clusters: 'Cluster',
  controlPlanes: 'KubeadmControlPlane',
  machineDeployments: 'MachineDeployment',
  machines: 'Machine',
  operations: 'ClusterOperation',
  plans: 'ScalingPlan',
  installations: 'Installation',
};

const observe = async ({ list, typeOf }: MetricsOptions): Promise<Observed> =>
  Object.fromEntries(
    await Promise.all(Object.entries(kindsOf).map(async ([name, kind]) => [name, (await list(typeOf(kind))).objects])),
  ) as Observed;

const addFamily = (registry: Registry, { name, help, samples }: Family): void => {
  // A gauge without labels begins with a sample of 0.
  const labelNames = samples.length === 0 ? ['name'] : [...new Set(samples.flatMap((one) => Object.keys(one.labels)))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const { labels, value } of samples) gauge.set(labels, value);
};

export interface Metrics {
  countPass(pass: EndedPass): void;
  countRequest(event: AuditEvent): void;
  /** The page, of what is stored and counted now. */
  page(): Promise<Response>;
}

export interface MetricsOptions extends Pick<Store, 'list'>, Pick<Kinds, 'typeOf'> {
  /** Counted elsewhere in this process. */
  families?: () => Family[];
}

export const createMetrics = (options: MetricsOptions): Metrics => {
  const { families = () => [] } = options;
  const counted = new Registry();
  const registers = [counted];
  const passes = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Passes of controllers by their result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const durations = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long passes take.',
    labelNames: ['controller'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  const requests = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests of the API by verb, resource and code.',
    labelNames: ['verb', 'group', 'resource', 'subresource', 'code'],
    registers,
  });
  return {
    countPass: ({ controller, ended: result, seconds }) => {
      passes.inc({ controller, result });
      durations.observe({ controller }, seconds);
    },
    countRequest: ({ verb, objectRef, responseStatus }) => {
      const { apiGroup: group = '', resource = '', subresource = '' } = objectRef ?? {};
      requests.inc({ verb, group, resource, subresource, code: String(responseStatus.code) });
    },
    page: async () => {
      const current = new Registry();
      for (const family of [...objectFamilies(await observe(options)), ...families()]) addFamily(current, family);
      const text = [await current.metrics(), await counted.metrics()].join('\n');
      return new Response(text, { headers: { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE } });
    },
  };
};
