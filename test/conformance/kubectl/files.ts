/** The manifests that the commands of the matrix name. */

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.matrix.example}
spec:
  group: matrix.example
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bt], categories: [fleet]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.aboard, labelSelectorPath: .status.selector}
      selectableFields: [{jsonPath: .spec.color}]
      additionalPrinterColumns:
        - {name: Color, type: string, jsonPath: .spec.color, description: What it is painted in.}
        - {name: Crew, type: integer, jsonPath: .spec.crew}
        - {name: Flag, type: string, jsonPath: .spec.flag, priority: 1}
      schema:
        openAPIV3Schema:
          type: object
          description: Boat is a thing that floats.
          required: [spec]
          properties:
            spec:
              type: object
              required: [color]
              x-kubernetes-validations:
                - {rule: "self.crew <= 10 || self.color != 'red'", message: red boats are small}
              properties:
                color: {type: string, enum: [red, green, blue], description: The color.}
                crew: {type: integer, minimum: 0, maximum: 100, default: 1}
                flag: {type: string, maxLength: 5, pattern: '^[a-z]*$'}
                decks:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties: {name: {type: string}, size: {type: integer}}
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                hold: {type: object, additionalProperties: {type: string}}
                home: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: the home port stays}]}
            status:
              type: object
              properties:
                aboard: {type: integer}
                selector: {type: string}
                phase: {type: string}
                conditions:
                  type: array
                  items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;

const boat = (name: string, spec: string) => `apiVersion: matrix.example/v1
kind: Boat
metadata: {name: ${name}}
spec: ${spec}
`;

const configMap = (name: string, data: string, metadata = '') => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}${metadata}}
data: ${data}
`;

const editor = (script: string) => `#!/bin/sh\nsed -i '${script}' "$1"\n`;

export const files: Record<string, string> = {
  'crd.yaml': definition,
  'boat.yaml': boat('ada', '{color: red, crew: 2, decks: [{name: main, size: 3}], tags: [old], home: kiel}'),
  'boat-changed.yaml': boat('ada', '{color: green, crew: 2, decks: [{name: main, size: 4}], tags: [old], home: kiel}'),
  'boat-moved.yaml': boat('ada', '{color: green, crew: 2, home: bergen}'),
  'boat-typo.yaml': boat('typo', '{color: red, colour: red}'),
  'boat-twice.yaml': boat('twice', '{color: red, color: green}'),
  'boat-bad.yaml': boat('bad', '{color: pink, crew: 101, flag: TOOLONG}'),
  'boat-none.yaml': boat('none', '{}'),
  'boat-text.yaml': boat('text', '{color: red, crew: many}'),
  'boat-rule.yaml': boat('rule', '{color: red, crew: 11}'),
  'boat-crew.yaml': boat('ada', '{crew: 7}'),
  'boat-deck.yaml': boat('ada', '{color: green, decks: [{name: upper, size: 1}]}'),
  'boat-same-deck.yaml': boat('ada', '{color: green, decks: [{name: a}, {name: a}]}'),
  'boat-unknown.yaml': boat('ada', '{color: green, sails: 3}'),
  'cm.yaml': configMap('plain', '{a: "1", b: two}'),
  'cm-changed.yaml': configMap('plain', '{a: "2", c: three}'),
  'cm-labelled.yaml': configMap('labelled', '{a: "1"}', ', labels: {app: shop, tier: web}'),
  'cm-other.yaml': configMap('other', '{a: "1"}', ', labels: {app: shop, tier: db}'),
  'cm-number.yaml': configMap('number', '{a: 1}'),
  'cm-typo.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typo}\ndate: {a: "1"}\n',
  'cm-name.yaml': configMap('Not_A_Name', '{}'),
  'cm-label.yaml': configMap('label', '{}', ', labels: {app: "no spaces here"}'),
  'cm-annotation.yaml': configMap('annotation', '{}', ', annotations: {"a b": c}'),
  'cm-namespace.yaml': configMap('else', '{}', ', namespace: elsewhere'),
  'cm-generate.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n',
  'cm-immutable.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixed}\nimmutable: true\ndata: {a: "1"}\n',
  'cm-immutable-changed.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixed}\nimmutable: true\ndata: {a: "2"}\n',
  'secret-type.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: typed}\ntype: kubernetes.io/tls\ndata: {tls.crt: YQ==}\n',
  'secret-base64.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: encoded}\ndata: {a: "%%%"}\n',
  'kind.yaml': 'apiVersion: v1\nkind: Nothing\nmetadata: {name: a}\n',
  'group.yaml': 'apiVersion: nothing.example/v1\nkind: Nothing\nmetadata: {name: a}\n',
  'broken.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n',
  'two.yaml': `${configMap('first', '{a: "1"}')}---\n${configMap('second', '{a: "1"}')}`,
  'list.yaml': 'apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: listed}}\n',
  'role.yaml':
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: applied}\nrules:\n  - {apiGroups: [""], resources: [secrets], verbs: [list]}\n',
  'policy.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: matrix.example}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [matrix.example], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [boats]}]
  validations: [{expression: "object.spec.color != 'blue'", message: no blue boats}]
`,
  'binding.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: matrix.example}
spec: {policyName: matrix.example, validationActions: [Deny]}
`,
  'policy-bad.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: bad.matrix.example}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [matrix.example], apiVersions: [v1], operations: [CREATE], resources: [boats]}]
  validations: [{expression: "object.spec.color !="}]
`,
  'lease.yaml':
    'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: held}\nspec: {holderIdentity: me, leaseDurationSeconds: 15}\n',
  'crd-bad.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wrong.matrix.example}
spec:
  group: matrix.example
  scope: Namespaced
  names: {plural: cars, kind: Car}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
  'crd-schema.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cars.matrix.example}
spec:
  group: matrix.example
  scope: Namespaced
  names: {plural: cars, kind: Car}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {items: {}}}}}}]
`,
  'edit-label.sh': editor('s/^metadata:/metadata:\\n  labels: {edited: "yes"}/'),
  'edit-color.sh': editor('s/color: green/color: pink/'),
  'edit-nothing.sh': '#!/bin/sh\nexit 0\n',
  'edit-data.sh': editor('s/a: "1"/a: "9"/'),
};
