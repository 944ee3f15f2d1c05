/** The variable `authorizer` of expressions: asks for rights of the user of a request, and of accounts. */
import type { Environment } from '@marcbachmann/cel-js';
import type { User } from '../api/kind.ts';
import type { AccessDecision, Attributes } from '../server/call.ts';

/** Decides at once, or throws. */
export type Decide = (attributes: Attributes) => AccessDecision | Error;

class Decision {
  readonly made: AccessDecision | Error;
  constructor(made: AccessDecision | Error) {
    this.made = made;
  }
}

class ResourceCheck {
  readonly attributes: Omit<Attributes, 'verb'>;
  readonly decide: Decide;
  constructor(attributes: Omit<Attributes, 'verb'>, decide: Decide) {
    this.attributes = attributes;
    this.decide = decide;
  }
  with(more: Partial<Attributes>): ResourceCheck {
    return new ResourceCheck({ ...this.attributes, ...more }, this.decide);
  }
  check(verb: string): Decision {
    return new Decision(this.decide({ ...this.attributes, verb }));
  }
}

class PathCheck extends ResourceCheck {}

class GroupCheck {
  readonly user: User;
  readonly group: string;
  readonly decide: Decide;
  constructor(user: User, group: string, decide: Decide) {
    this.user = user;
    this.group = group;
    this.decide = decide;
  }
}

const isName = (text: string, longest: number, form: RegExp): boolean => text.length <= longest && form.test(text);
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export class Authorizer {
  readonly user: User;
  readonly decide: Decide;
  /** The rights to what the request names. */
  readonly requestResource: ResourceCheck | undefined;
  constructor(user: User, decide: Decide, requestResource?: Omit<Attributes, 'verb' | 'user'>) {
    this.user = user;
    this.decide = decide;
    this.requestResource = requestResource && new ResourceCheck({ user, ...requestResource }, decide);
  }
  serviceAccount(namespace: string, name: string): Authorizer {
    if (!isName(name, 253, subdomain)) throw new Error('Invalid service account name');
    if (!isName(namespace, 63, label)) throw new Error('Invalid service account namespace');
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    return new Authorizer({ username: `system:serviceaccount:${namespace}:${name}`, groups }, this.decide);
  }
}

const prefix = 'kubernetes.authorization';

const notEmpty = (what: string, text: string): string => {
  if (text.trim() === '') throw new Error(`${what} must not be empty`);
  return text;
};

/** Types and functions of the variable. */
export const registerAuthorizer = (of: Environment): Environment =>
  of
    .registerType(`${prefix}.Decision`, Decision as never)
    .registerType(`${prefix}.ResourceCheck`, ResourceCheck as never)
    .registerType(`${prefix}.PathCheck`, PathCheck as never)
    .registerType(`${prefix}.GroupCheck`, GroupCheck as never)
    .registerType(`${prefix}.Authorizer`, {
      ctor: Authorizer as never,
      fields: { requestResource: `${prefix}.ResourceCheck` },
    })
    .registerFunction(
      `${prefix}.Authorizer.path(string): ${prefix}.PathCheck`,
      ({ user, decide }: Authorizer, path: string) => new PathCheck({ user, path: notEmpty('path', path) }, decide),
    )
    .registerFunction(
      `${prefix}.Authorizer.group(string): ${prefix}.GroupCheck`,
      ({ user, decide }: Authorizer, group: string) => new GroupCheck(user, group, decide),
    )
    .registerFunction(
      `${prefix}.Authorizer.serviceAccount(string, string): ${prefix}.Authorizer`,
      (one: Authorizer, namespace: string, name: string) => one.serviceAccount(namespace, name),
    )
    .registerFunction(
      `${prefix}.GroupCheck.resource(string): ${prefix}.ResourceCheck`,
      ({ user, group, decide }: GroupCheck, resource: string) =>
        new ResourceCheck({ user, group, resource: notEmpty('resource', resource) }, decide),
    )
    .registerFunction(
      `${prefix}.ResourceCheck.subresource(string): ${prefix}.ResourceCheck`,
      (one: ResourceCheck, subresource: string) => one.with({ subresource }),
    )
    .registerFunction(
      `${prefix}.ResourceCheck.namespace(string): ${prefix}.ResourceCheck`,
      (one: ResourceCheck, namespace: string) => one.with({ namespace }),
    )
    .registerFunction(
      `${prefix}.ResourceCheck.name(string): ${prefix}.ResourceCheck`,
      (one: ResourceCheck, name: string) => one.with({ name }),
    )
    // RBAC decides without selectors, so that they narrow nothing.
    .registerFunction(
      `${prefix}.ResourceCheck.fieldSelector(string): ${prefix}.ResourceCheck`,
      (one: ResourceCheck) => one,
    )
    .registerFunction(
      `${prefix}.ResourceCheck.labelSelector(string): ${prefix}.ResourceCheck`,
      (one: ResourceCheck) => one,
    )
    .registerFunction(`${prefix}.ResourceCheck.check(string): ${prefix}.Decision`, (one: ResourceCheck, verb: string) =>
      one.check(verb),
    )
    .registerFunction(`${prefix}.PathCheck.check(string): ${prefix}.Decision`, (one: PathCheck, verb: string) =>
      one.check(verb),
    )
    .registerFunction(
      `${prefix}.Decision.allowed(): bool`,
      ({ made }: Decision) => !(made instanceof Error) && made.allowed,
    )
    .registerFunction(`${prefix}.Decision.reason(): string`, ({ made }: Decision) =>
      made instanceof Error ? '' : made.reason,
    )
    .registerFunction(`${prefix}.Decision.errored(): bool`, ({ made }: Decision) => made instanceof Error)
    .registerFunction(`${prefix}.Decision.error(): string`, ({ made }: Decision) =>
      made instanceof Error ? made.message : '',
    );

export const authorizerType = `${prefix}.Authorizer`;
