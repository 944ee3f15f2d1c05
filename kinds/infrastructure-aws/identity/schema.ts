/** What all identities of AWS have in common. */
import { list, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import { labelSelector } from '../../common/schema.ts';

export const allowedNamespaces = object(
  'Namespaces whose clusters may use it: absent means none, empty means all.',
  {
    list: list('Namespaces by name.', string('Name of a namespace.'), { nullable: true }),
    selector: labelSelector('Namespaces by label; an empty selector matches none.'),
  },
  { nullable: true },
);

export const identityRef = (description: string) =>
  object(description, {
    kind: required(
      oneOf('Kind of the identity.', [
        'AWSClusterControllerIdentity',
        'AWSClusterRoleIdentity',
        'AWSClusterStaticIdentity',
      ]),
    ),
    name: required(string('Name of the identity.', { minLength: 1 })),
  });
