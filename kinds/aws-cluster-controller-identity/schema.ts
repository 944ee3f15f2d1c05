import { atomicList, type Infer, list, object, required, string, stringMap } from '../../machinery/api/schema.ts';

export const spec = object('Who may use the identity that the control plane itself runs with.', {
  allowedNamespaces: object(
    'Namespaces whose clusters may use it: absent means none, empty means all.',
    {
      list: list('Namespaces by name.', string('Name of a namespace.'), { nullable: true }),
      selector: object(
        'Namespaces by label; an empty selector matches none.',
        {
          matchExpressions: atomicList(
            'Conditions on labels that must all hold.',
            object('A condition on one label.', {
              key: required(string('The label.')),
              operator: required(string('In, NotIn, Exists or DoesNotExist.')),
              values: atomicList('Values for In and NotIn.', string('A value.')),
            }),
          ),
          matchLabels: stringMap('Labels that must have exactly these values.'),
        },
        { 'x-kubernetes-map-type': 'atomic' },
      ),
    },
    { nullable: true },
  ),
});

export type AWSClusterControllerIdentitySpec = Infer<typeof spec>;
