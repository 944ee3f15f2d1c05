import { age, column, defineKind } from '../../define.ts';
import { accessEntry as facts } from './kind.ts';
import { type AccessEntry, spec } from './schema.ts';
import { validate } from './validate.ts';

export type { AccessEntry } from './schema.ts';

export const accessEntry = defineKind({
  ...facts,
  shortNames: [],
  validate: (object, { operation }) => (operation === 'delete' ? [] : validate(object as AccessEntry)),
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Maps a role or user of AWS, or a group of an OpenID provider, to a username and groups.',
      columns: [
        column('Principal', 'string', '.spec.principalARN', 'The role or user of AWS.'),
        column('OIDC Group', 'string', '.spec.oidcGroup', 'The group of an OpenID provider.'),
        column('Username', 'string', '.spec.username', 'The username in place of the ARN.'),
        column('Groups', 'string', '.spec.groups', 'The groups that it adds.'),
        age,
      ],
      spec,
      specRequired: true,
    },
  ],
});
