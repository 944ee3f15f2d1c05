import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, object, string } from '../../../machinery/api/schema.ts';

export const spec = object('An identity, and the user and groups as which the API sees it.', {
  principalARN: string('The ARN of a role or user of AWS. Not of a session: the ARN of its role.', { minLength: 1 }),
  principalID: string(
    'The unique id of the role or user, such as AROAEXAMPLE. A later one of the same name has another id and is not meant.',
    { pattern: '^A[A-Z0-9]{3,127}$' },
  ),
  oidcGroup: string('A group as an OpenID provider asserts it, after its prefix.', { minLength: 1 }),
  username: string(
    'The username, in place of the ARN. {{AccountID}} is the account; after a colon, {{SessionName}} is the name of the session, with - for each @, and {{SessionNameRaw}} the unchanged one.',
    { minLength: 1 },
  ),
  groups: atomicList('Groups, in addition to those that the identity has.', string('A group.', { minLength: 1 })),
});

export type AccessEntry = KubeObject<Infer<typeof spec>>;
