/** What the deployment tells its functions, checked before anything is done with it. */
import * as z from 'zod';

const json = <S extends z.ZodType>(schema: S) =>
  z.string().transform((text, context): z.output<S> => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is no JSON' });
      return z.NEVER;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  });

const name = z.string().min(1);
const queue = z.object({ hot: z.url(), slow: z.url() });

const base = z.object({
  /** Tags every resource that is made; stays the same for ever. */
  INSTALLATION: name,
  AWS_REGION: name,
  OBJECTS_TABLE: name,
  WORK_TABLE: name,
  /** Of KMS: what Secrets are encrypted under. */
  KEY_ID: name,
  /** Each worker class's queues, as `{"core":{"hot":"https://…","slow":"https://…"},…}`. */
  QUEUES: json(z.object({ core: queue, aws: queue, workload: queue, gc: queue })),
  LOG_LEVEL: z.enum(['info', 'error']).default('info'),
});
export type BaseEnvironment = z.output<typeof base>;

const serving = base.extend({
  /** What callers sign their tokens for; the installation's name when absent. */
  CLUSTER_ID: name.optional(),
  /** ARNs of users and roles, or `<issuer>#<subject>`. */
  ADMINISTRATORS: json(z.array(name)),
  /** OpenID providers. */
  OIDC: json(
    z.array(
      z.object({
        issuer: z.url(),
        audiences: z.array(name).min(1),
        jwksUri: z.url().optional(),
        usernameClaim: name.optional(),
        usernamePrefix: z.string().optional(),
        groupsClaim: name.optional(),
        groupsPrefix: z.string().optional(),
      }),
    ),
  ).default([]),
  /** `false`: no AWS identities. */
  STS: z.enum(['true', 'false']).default('true'),
  /** Of an emulator. */
  AWS_ENDPOINT_URL_STS: z.url().optional(),
  /** In front of the API's paths, where a domain serves more than this API. */
  BASE_PATH: z
    .string()
    .regex(/^(\/[^/]+)*$/)
    .default(''),
});
export type ServingEnvironment = z.output<typeof serving>;

const workflows = json(z.record(name, name)).default({});
const reconciling = base.extend({
  /** The ARN of each definition's state machine; empty = without workflows. */
  WORKFLOWS: workflows,
  /** Of the account's request limits, the part that one process may count on. */
  CLOUD_SHARE: z.coerce.number().positive().max(1).default(1),
});
export type ReconcilingEnvironment = z.output<typeof reconciling>;

const reaching = reconciling.extend({
  /** Between this function and the clusters, where only a proxy reaches them. AWS itself is asked without it. */
  HTTPS_PROXY: z.url().optional(),
  NO_PROXY: z.string().optional(),
});

/**
 * What polls and fires only while there is something to look after. The template creates all of it enabled, so that a
 * deployment never leaves it off by accident: the sweep puts it to sleep.
 */
const dispatching = base.extend({
  /** The UUIDs of the queues' event source mappings, as `{"hot":["…"],"slow":["…"]}`. */
  MAPPINGS: json(z.object({ hot: z.array(name), slow: z.array(name) })),
  /** The names of the schedules, that of the sweep first, and their group. */
  SCHEDULES: json(z.array(name)),
  SCHEDULE_GROUP: name.default('default'),
});
/** Of dispatch, which wakes all of that, and of the sweep, which puts it to sleep. */
export type DispatchingEnvironment = z.output<typeof dispatching>;

const guarding = base.pick({ INSTALLATION: true, OBJECTS_TABLE: true, WORK_TABLE: true });
export type GuardingEnvironment = z.output<typeof guarding>;

export type Variables = Record<string, string | undefined>;

const read =
  <S extends z.ZodType>(schema: S) =>
  (variables: Variables): z.output<S> => {
    const parsed = schema.safeParse(variables);
    if (parsed.success) return parsed.data;
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`the environment of this function is wrong, deploy again: ${wrong.join('; ')}`);
  };

export const baseEnvironment = read(base);
export const servingEnvironment = read(serving);
export const reconcilingEnvironment = read(reconciling);
export const reachingEnvironment = read(reaching);
export const dispatchingEnvironment = read(dispatching);
export const guardingEnvironment = read(guarding);
