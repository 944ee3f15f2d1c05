/** Defaults of the AWS provider's kinds, compared with what its own code fills in. */
import { describe, expect, it } from 'vitest';
import { awsCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { awsClusterControllerIdentity } from '../../kinds/infrastructure-aws/aws-cluster-controller-identity/index.ts';
import { awsMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { awsMachinePool } from '../../kinds/infrastructure-aws/aws-machine-pool/index.ts';
import { awsMachineTemplate } from '../../kinds/infrastructure-aws/aws-machine-template/index.ts';
import { desiredLoadBalancers } from '../../kinds/infrastructure-aws/network/desired-load-balancer.ts';
import { pointers } from '../../kinds/infrastructure-aws/pointers.ts';
import { type Admission, apiVersionOf, storageVersion } from '../../machinery/api/kind.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { withoutZeros } from '../../machinery/api/zero.ts';
import { prepareObject } from '../../machinery/server/prepare.ts';
import table from './aws-provider.json' with { type: 'json' };

const kinds = {
  AWSCluster: awsCluster,
  AWSMachine: awsMachine,
  AWSMachinePool: awsMachinePool,
  AWSClusterControllerIdentity: awsClusterControllerIdentity,
};
type Named = keyof typeof kinds;

const admission: Admission = { operation: 'create', user: { username: 'a', groups: [] }, dryRun: false };

const specSchema = (schema: JsonSchema): JsonSchema => schema.properties!.spec!;
/** Without what Go's encoder writes for absent fields, and without what the schema fills in. */
const bare = (value: JsonValue, schema: JsonSchema): JsonValue => {
  if (Array.isArray(value)) return value.map((item) => bare(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, part]) => {
    const of = schema.properties?.[name] ?? {};
    const isAbsent = part === null || part === false || part === 0 || part === undefined || part === of.default;
    return isAbsent ? [] : [[name, bare(part, of)] as const];
  });
  return Object.fromEntries(fields);
};
const plain = (kind: Named, spec: JsonValue): JsonValue => {
  const schema = withoutDefaults(specSchema(storageVersion(kinds[kind]).schema));
  const filled = specSchema(storageVersion(kinds[kind]).schema);
  return withoutZeros(bare(spec, filled), schema, new Set(paths(kind)));
};
const paths = (kind: Named): readonly string[] => (kind in pointers ? pointers[kind as keyof typeof pointers] : []);
/** An explicit default is as good as an absent field here. */
const withoutDefaults = (schema: JsonSchema): JsonSchema => {
  const { default: _, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(items && { items: withoutDefaults(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, withoutDefaults(of)])),
    }),
  };
};

const defaultsIn = (schema: JsonSchema, at = ''): [string, unknown][] => [
  ...(schema.default === undefined ? [] : [[at, schema.default] as [string, unknown]]),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => defaultsIn(of, at ? `${at}.${name}` : name)),
  ...(schema.items ? defaultsIn(schema.items, `${at}[]`) : []),
];

/** Capstan requires session tokens of metadata requests; docs/differences.md tells of it. */
const ownDefaults = ['instanceMetadataOptions'];
const isOwn = (path: string): boolean => ownDefaults.some((own) => path.includes(own));

describe.each(
  [awsCluster, awsMachine, awsMachinePool, awsMachineTemplate].map((kind) => [kind.kind, kind] as const),
)('the schema of %s', (name, kind) => {
  const upstream = Object.entries((table.schema as Record<string, Record<string, unknown>>)[name]!);
  it('has the defaults of upstream’s', () => {
    const own = defaultsIn(specSchema(storageVersion(kind).schema));
    const isShared = ([path]: [string, unknown]) => !isOwn(path);
    expect(Object.fromEntries(own.filter(isShared))).toEqual(Object.fromEntries(upstream.filter(isShared)));
  });
});

describe('the defaults of upstream’s webhooks', () => {
  it.each(table.cases.map((one) => [`${one.kind} ${JSON.stringify(one.spec)}`, one] as const))('hold for %s', (_, {
    kind: name,
    spec,
    defaulted,
  }) => {
    const kind = kinds[name as Named];
    const object = {
      apiVersion: apiVersionOf(kind.group, storageVersion(kind).name),
      kind: kind.kind,
      metadata: { name: 'a', namespace: 'default' },
      spec,
    } as KubeObject;
    const schemaFilled = (from: JsonValue) =>
      prepareObject(kind, { ...object, spec: from as JsonObject }).spec as JsonObject;
    const made = kind.default?.(prepareObject(kind, object), admission).spec as JsonObject;
    const wanted = schemaFilled(plain(name as Named, defaulted as JsonValue));
    const shared = (of: JsonObject): JsonObject =>
      Object.fromEntries(
        Object.entries(of)
          .filter(([field]) => !ownDefaults.includes(field))
          .map(([field, value]) => [field, isObject(value) ? shared(value) : value]),
      );
    expect(plain(name as Named, shared(made))).toEqual(plain(name as Named, shared(wanted)));
  });

  it('hold for the health checks of load balancers, their other ports, and each value that is left out', () => {
    const { path: _, ...upstream } = table.healthCheck;
    const shown = (spec: object) =>
      desiredLoadBalancers(
        { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', additionalListeners: [{ port: 8132 }], ...spec } },
        { installation: 'i', clusterUid: 'u', clusterName: 'c' },
        { listener: 6443, server: 6443 } as never,
      )[0]!.ports.map(({ check }) => ({
        intervalSeconds: check.HealthCheckIntervalSeconds,
        timeoutSeconds: check.HealthCheckTimeoutSeconds,
        thresholdCount: check.HealthyThresholdCount,
        unhealthyThresholdCount: check.UnhealthyThresholdCount,
      }));
    expect(shown({})).toEqual([upstream, upstream]);
    for (const field of Object.keys(upstream))
      expect(shown({ healthCheck: { [field]: 9 } })[0]).toEqual({ ...upstream, [field]: 9 });
  });
});
