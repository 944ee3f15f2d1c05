/** The environment of each function, validated at start. A function builds only its own schema. */
import * as z from 'zod/mini';
import { checked } from './validate.ts';

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
    /** The tag value of every resource that is created; must never change. */
    INSTALLATION: nameOf(),
    AWS_REGION: nameOf(),
    OBJECTS_TABLE: nameOf(),
    WORK_TABLE: nameOf(),
    /** The KMS key that encrypts Secrets. */
    KEY_ID: nameOf(),
    /** Each worker class's queues, as `{"core":{"hot":"https://…","slow":"https://…"},…}`. */
    QUEUES: json(z.object({ core: queueOf(), aws: queueOf(), workload: queueOf(), gc: queueOf() })),
    LOG_LEVEL: z._default(z.enum(['info', 'error']), 'info'),
  });
export type BaseEnvironment = z.output<ReturnType<typeof base>>;

export const serving = () =>
  z.extend(base(), {
    /** The audience of tokens; the installation's name when absent. */
    CLUSTER_ID: z.optional(nameOf()),
    /** ARNs of users and roles, or `<issuer>#<subject>`, whom the rights make administrators. */
    ADMINISTRATORS: json(z.array(nameOf())),
    /** The same, for users who read everything except Secrets. */
    VIEWERS: z._default(json(z.array(nameOf())), []),
    /** The same, for users who pass whatever the rights say; the administrators if empty. */
    BREAK_GLASS: z._default(json(z.array(nameOf())), []),
    /** The log group that takes the audit log. */
    AUDIT_LOG_GROUP: z.optional(nameOf()),
    /** What it has of a write: that it was made, or also the body, without secrets. */
    AUDIT_LEVEL: z._default(z.enum(['Metadata', 'Request']), 'Metadata'),
    /** Set by Lambda, unique to a process. */
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
    /** The URL of the API, which issues tokens of ServiceAccounts. */
    ISSUER: z.optional(z.url()),
    /** `false` rejects AWS identities. */
    STS: z._default(z.enum(['true', 'false']), 'true'),
    /** Maximum of concurrent watches over all processes. Absent where the server sees clients disconnect. */
    WATCHES: z.optional(z.coerce.number().check(z.int(), z.positive())),
    /** Set by an emulator. */
    AWS_ENDPOINT_URL_STS: z.optional(z.url()),
    /** Path prefix, where a domain serves more than this API. */
    BASE_PATH: z._default(z.string().check(z.regex(/^(\/[^/]+)*$/)), ''),
  });
export type ServingEnvironment = z.output<ReturnType<typeof serving>>;

const receiving = () =>
  z.pick(base(), { INSTALLATION: true, OBJECTS_TABLE: true, WORK_TABLE: true, QUEUES: true, LOG_LEVEL: true });
export type ReceivingEnvironment = z.output<ReturnType<typeof receiving>>;

const reconciling = () =>
  z.extend(base(), {
    /** The ARN of each definition's state machine; empty = without workflows. */
    WORKFLOWS: z._default(json(z.record(nameOf(), nameOf())), {}),
    /** Share of the account's request limits that one process may use. */
    CLOUD_SHARE: z._default(z.coerce.number().check(z.positive(), z.maximum(1)), 1),
    /** Where API servers of clusters report; absent where they cannot reach it. */
    AUDIT_WEBHOOK_URL: z.optional(z.url()),
  });
export type ReconcilingEnvironment = z.output<ReturnType<typeof reconciling>>;

const reaching = () =>
  z.extend(reconciling(), {
    /** The proxy between this function and workload clusters. Calls to AWS do not use it. */
    HTTPS_PROXY: z.optional(z.url()),
    NO_PROXY: z.optional(z.string()),
    /** The bucket of etcd snapshots. */
    SNAPSHOT_BUCKET: nameOf(),
    /** The KMS key that encrypts the keys beside snapshots. */
    SNAPSHOT_KEYS_KEY_ID: nameOf(),
    /** Days for which each new file of a snapshot is locked; absent = none. */
    SNAPSHOT_LOCK_DAYS: z.optional(z.coerce.number().check(z.int(), z.positive())),
  });

export type ReachingEnvironment = z.output<ReturnType<typeof reaching>>;

/**
 * Mappings, rules and schedules are enabled only while there is work. The template creates them enabled, so
 * that a deployment never leaves them disabled by accident; the sweep disables them.
 */
const dispatching = () =>
  z.extend(base(), {
    /** The UUIDs of the queues' event source mappings, as `{"hot":["…"],"slow":["…"]}`. */
    MAPPINGS: json(z.object({ hot: z.array(nameOf()), slow: z.array(nameOf()) })),
    /** The names of the schedules, that of the sweep first, and their group. */
    SCHEDULES: json(z.array(nameOf())),
    SCHEDULE_GROUP: z._default(nameOf(), 'default'),
    /** Names of the EventBridge rules that are enabled only while the installation is awake. */
    RULES: z._default(json(z.array(nameOf())), []),
    /** The UUID of the stream's mapping. Only the sweep enables it. */
    CHANGES: z.optional(nameOf()),
  });
/** For functions that create work and wake the installation, and for the sweep, which puts it to sleep. */
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
export const receivingEnvironment = read(receiving);
export const reconcilingEnvironment = read(reconciling);
export const reachingEnvironment = read(reaching);
export const dispatchingEnvironment = read(dispatching);
export const guardingEnvironment = read(guarding);
