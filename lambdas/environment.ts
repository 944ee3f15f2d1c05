/** What the deployment tells its functions, checked before anything is done with it. A function makes its own schema alone. */
import * as z from 'zod/mini';
import { checked } from './checked.ts';

const json = <S extends z.ZodMiniType>(schema: S) =>
  z.pipe(
    z.string(),
    z.pipe(
      z.transform((text: string, { issues }): unknown => {
        try {
          return JSON.parse(text);
        } catch {
          issues.push({ code: 'custom', message: 'is no JSON', input: text });
          return z.NEVER;
        }
      }),
      schema,
    ),
  );

export const nameOf = () => z.string().check(z.minLength(1));
const queueOf = () => z.object({ hot: z.url(), slow: z.url() });

const base = () =>
  z.object({
    /** Tags every resource that is made; stays the same for ever. */
    INSTALLATION: nameOf(),
    AWS_REGION: nameOf(),
    OBJECTS_TABLE: nameOf(),
    WORK_TABLE: nameOf(),
    /** Of KMS: what Secrets are encrypted under. */
    KEY_ID: nameOf(),
    /** Each worker class's queues, as `{"core":{"hot":"https://…","slow":"https://…"},…}`. */
    QUEUES: json(z.object({ core: queueOf(), aws: queueOf(), workload: queueOf(), gc: queueOf() })),
    LOG_LEVEL: z._default(z.enum(['info', 'error']), 'info'),
  });
export type BaseEnvironment = z.output<ReturnType<typeof base>>;

export const serving = () =>
  z.extend(base(), {
    /** What callers sign their tokens for; the installation's name when absent. */
    CLUSTER_ID: z.optional(nameOf()),
    /** ARNs of users and roles, or `<issuer>#<subject>`. */
    ADMINISTRATORS: json(z.array(nameOf())),
    /** The same, of users who read everything but Secrets. */
    VIEWERS: z._default(json(z.array(nameOf())), []),
    /** The log group that takes the audit log. */
    AUDIT_LOG_GROUP: z.optional(nameOf()),
    /** Lambda's own, unique to a process. */
    AWS_LAMBDA_LOG_STREAM_NAME: z._default(nameOf(), 'local'),
    /** OpenID providers. */
    OIDC: z._default(
      json(
        z.array(
          z.object({
            issuer: z.url(),
            audiences: z.array(nameOf()).check(z.minLength(1)),
            jwksUri: z.optional(z.url()),
            usernameClaim: z.optional(nameOf()),
            usernamePrefix: z.optional(z.string()),
            groupsClaim: z.optional(nameOf()),
            groupsPrefix: z.optional(z.string()),
          }),
        ),
      ),
      [],
    ),
    /** `false`: no AWS identities. */
    STS: z._default(z.enum(['true', 'false']), 'true'),
    /** How many watches all processes of a function serve at once. Absent where clients are seen to leave. */
    WATCHES: z.optional(z.coerce.number().check(z.int(), z.positive())),
    /** Of an emulator. */
    AWS_ENDPOINT_URL_STS: z.optional(z.url()),
    /** In front of the API's paths, where a domain serves more than this API. */
    BASE_PATH: z._default(z.string().check(z.regex(/^(\/[^/]+)*$/)), ''),
  });
export type ServingEnvironment = z.output<ReturnType<typeof serving>>;

const reconciling = () =>
  z.extend(base(), {
    /** The ARN of each definition's state machine; empty = without workflows. */
    WORKFLOWS: z._default(json(z.record(nameOf(), nameOf())), {}),
    /** Of the account's request limits, the part that one process may count on. */
    CLOUD_SHARE: z._default(z.coerce.number().check(z.positive(), z.maximum(1)), 1),
  });
export type ReconcilingEnvironment = z.output<ReturnType<typeof reconciling>>;

const reaching = () =>
  z.extend(reconciling(), {
    /** Between this function and the clusters, where only a proxy reaches them. AWS itself is asked without it. */
    HTTPS_PROXY: z.optional(z.url()),
    NO_PROXY: z.optional(z.string()),
  });

export type ReachingEnvironment = z.output<ReturnType<typeof reaching>>;

/**
 * What polls and fires only while there is something to look after. The template creates all of it enabled, so that a
 * deployment never leaves it off by accident: the sweep puts it to sleep.
 */
const dispatching = () =>
  z.extend(base(), {
    /** The UUIDs of the queues' event source mappings, as `{"hot":["…"],"slow":["…"]}`. */
    MAPPINGS: json(z.object({ hot: z.array(nameOf()), slow: z.array(nameOf()) })),
    /** The names of the schedules, that of the sweep first, and their group. */
    SCHEDULES: json(z.array(nameOf())),
    SCHEDULE_GROUP: z._default(nameOf(), 'default'),
    /** The names of the rules of EventBridge that deliver events only while awake. */
    RULES: z._default(json(z.array(nameOf())), []),
    /** The UUID of the mapping of the objects' stream. Only the sweep looks after it. */
    CHANGES: z.optional(nameOf()),
  });
/** Of those who make work and wake all of that, and of the sweep, which puts it to sleep. */
export type DispatchingEnvironment = z.output<ReturnType<typeof dispatching>>;

const guarding = () => z.pick(base(), { INSTALLATION: true, OBJECTS_TABLE: true, WORK_TABLE: true });
export type GuardingEnvironment = z.output<ReturnType<typeof guarding>>;

export type Variables = Record<string, string | undefined>;

export const read =
  <S extends z.ZodMiniType>(schema: () => S) =>
  (variables: Variables): z.output<S> =>
    checked(schema(), variables, 'the environment of this function is wrong, deploy again');

export const baseEnvironment = read(base);
export const servingEnvironment = read(serving);
export const reconcilingEnvironment = read(reconciling);
export const reachingEnvironment = read(reaching);
export const dispatchingEnvironment = read(dispatching);
export const guardingEnvironment = read(guarding);
