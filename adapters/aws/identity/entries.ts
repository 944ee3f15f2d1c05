/** Identities that objects in the store map to usernames and groups, as access entries of EKS do. */
import type { User } from '../../../machinery/api/kind.ts';
import { canonicalArn } from './arn.ts';
import type { Authenticate } from './authenticate.ts';

type Identify = (request: Request) => User | undefined | Promise<User | undefined>;

export interface IdentityMapping {
  principalARN?: string | undefined;
  principalID?: string | undefined;
  oidcGroup?: string | undefined;
  username?: string | undefined;
  groups?: readonly string[] | undefined;
}

export interface Mappings {
  apply(user: User): User;
}

const idOf = ({ uid = '' }: User): string => uid.split(':')[0]!;

const usernameOf = (template: string, { username, extra = {} }: User): string => {
  const session = extra.sessionName?.[0] ?? '';
  const values: Record<string, string> = {
    AccountID: username.split(':')[4] ?? '',
    SessionName: session.replaceAll('@', '-'),
    SessionNameRaw: session,
  };
  return template.replace(/\{\{(\w+)\}\}/g, (text, name: string) => values[name] ?? text);
};

/** Of several mappings of one identity, the first that has a username gives it; all add their groups. */
export const createMappings = (all: readonly IdentityMapping[]): Mappings => {
  const byPrincipal = Map.groupBy(
    all.filter(({ principalARN }) => principalARN !== undefined),
    ({ principalARN }) => canonicalArn(principalARN!),
  );
  const byGroup = Map.groupBy(
    all.filter(({ oidcGroup }) => oidcGroup !== undefined),
    ({ oidcGroup }) => oidcGroup!,
  );
  const mappingsOf = (user: User): IdentityMapping[] => {
    // Only STS reports an ARN.
    if (user.extra?.arn === undefined) return user.groups.flatMap((group) => byGroup.get(group) ?? []);
    const own = byPrincipal.get(user.username) ?? [];
    return own.filter(({ principalID }) => principalID === undefined || principalID === idOf(user));
  };
  return {
    apply: (user) => {
      const own = mappingsOf(user);
      if (own.length === 0) return user;
      const template = own.find(({ username }) => username !== undefined)?.username;
      return {
        ...user,
        ...(template !== undefined && { username: usernameOf(template, user) }),
        groups: [...new Set([...user.groups, ...own.flatMap(({ groups = [] }) => groups)])],
      };
    },
  };
};

/** `mappings`: the current ones. While they cannot be read, identities are what they are without. */
export const withMappings =
  (authenticate: Identify, mappings: () => Promise<Mappings>): Authenticate =>
  async (request) => {
    const user = await authenticate(request);
    if (!user) return undefined;
    try {
      return (await mappings()).apply(user);
    } catch {
      // Who passes without bindings must also pass without these.
      return user;
    }
  };
