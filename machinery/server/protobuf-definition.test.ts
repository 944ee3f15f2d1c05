/** A CustomResourceDefinition with every field, as client-go 0.36 encodes it. */
import { expect, it } from 'vitest';
import { decodeProtobuf } from './protobuf.ts';

const encoded = [
  'azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEskLCisKE3dpZGdldHMuZXhh',
  'bXBsZS5jb20SABoAIgAqADIAOABCAGIGCgFhEgFiEtMKCgtleGFtcGxlLmNvbRotCgd3aWRnZXRzEgZ3aWRnZXQaAXciBldpZGdl',
  'dCoKV2lkZ2V0TGlzdDIDYWxsIgpOYW1lc3BhY2VkOuAJCgJ2MRABGAAi+AgK9QgKAWkSAXMiAUQqBm9iamVjdDIAOgFUUABgAHoA',
  'kAEAugEEc3BlY+oBwggKBHNwZWMSuQgKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDqAS4KAWMSKQoAEgAiACoGb2JqZWN0MgA6',
  'AFAAYAB6AJABAPIBAggAqAIAuAIAwAIA6gHcAQoBZBLWAQoAEgAaAXIiACoAMgA6AFAAYAB6AJABAcIBJhIkCgASACIAKgZzdHJp',
  'bmcyADoAUABgAHoAkAEAqAIAuAIAwAIA+gEkCgJeeBIeCgASACIAKgAyADoAUABgAHoAkAEAqAIAuAIAwAIAggIICgFhEgMSAWKC',
  'AisKAWMSJgokCgASACIAKgZzdHJpbmcyADoAUABgAHoAkAEAqAIAuAIAwAIAkgIpCgF6EiQKABIAIgAqBnN0cmluZzIAOgBQAGAA',
  'egCQAQCoAgC4AgDAAgCoAgC4AgDAAgDqAZkBCgFlEpMBCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEAygFDCgASACIAKgAyADoA',
  'UABgAHoAkAEA4gEiCgASACIAKgAyADoAUABgAHoAkAEAugEBYagCALgCAMACAKgCALgCAMACANIBHgoAEgAiACoAMgA6AFAAYAB6',
  'AJABAKgCALgCAMACAJoCBQoAEgF1qAIAuAIBwAIA6gFyCgFpEm0KABIAIgAqADIAOgBQAGAAegCQAQDaASUKABIAIgAqB2ludGVn',
  'ZXIyADoAUABgAHoAkAEAqAIAuAIAwAIA2gEkCgASACIAKgZzdHJpbmcyADoAUABgAHoAkAEAqAIAuAIAwAIAqAIAuAIAwAIB6gGO',
  'AQoBbBKIAQoAEgAiACoFYXJyYXkyADoAUABgAHoAgAEDiAEAkAEAwgFSClAKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDqASkK',
  'AWsSJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAKgCALgCAMACAMoCAWvSAgNtYXDqAWMKAW0S',
  'XgoAEgAiACoGb2JqZWN0MgA6AFAAYAB6AJABAKgBA/IBKQgBEiUKABIAIgAqB2ludGVnZXIyADoAUABgAHoAkAEAqAIAuAIAwAIA',
  'qAIAuAIAwAIA2gIIZ3JhbnVsYXLqAVsKAW4SVgoAEgAiACoGbnVtYmVyMgA6AEIDCgExSQAAAAAAAPg/UAFZAAAAAAAAAABgAHoA',
  'kAEAmQEAAAAAAADQP6IBAwoBMaIBBQoDMC41ogEAqAIAuAIAwAIA6gEuCgFvEikKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDy',
  'AQIIAagCALgCAMACAOoBOwoBcxI2CgASACIAKgZzdHJpbmcyBGRhdGU6AFAAYABoAHAAegJeYZABAKICBQoDIngiqAIBuAIAwAIA',
  'qAIAsAIBuAIAwAIA4gInCgR0cnVlEgFtGgMnbSciEUZpZWxkVmFsdWVJbnZhbGlkKgIuYTAAqAIAuAIAwAIAKiMKABIfCgcuc3Bl',
  'Yy5yEgkuc3RhdHVzLnIaCS5zdGF0dXMuczIhCgFOEgdpbnRlZ2VyGgVpbnQzMiIBZCgBMgcuc3BlYy5uOAFCBnVzZSB2MkoJCgcu',
  'c3BlYy5zSiQKB1dlYmhvb2sSGRITCg0KAWESAWIaAi9jIPtBEgJDQRoCdjFQABpECiUKC0VzdGFibGlzaGVkEgRUcnVlGggIpevc',
  'ygYQACIBcioBbTADEhUKB3dpZGdldHMSACIGV2lkZ2V0KgAaAnYxIAMaACIA',
].join('');

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: {
    name: 'widgets.example.com',
    annotations: {
      a: 'b',
    },
  },
  spec: {
    group: 'example.com',
    names: {
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['w'],
      kind: 'Widget',
      listKind: 'WidgetList',
      categories: ['all'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v2',
        schema: {
          openAPIV3Schema: {
            id: 'i',
            $schema: 's',
            description: 'D',
            type: 'object',
            title: 'T',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                properties: {
                  c: {
                    type: 'object',
                    additionalProperties: false,
                  },
                  d: {
                    $ref: 'r',
                    uniqueItems: true,
                    items: [
                      {
                        type: 'string',
                      },
                    ],
                    patternProperties: {
                      '^x': {},
                    },
                    dependencies: {
                      a: ['b'],
                      c: {
                        type: 'string',
                      },
                    },
                    definitions: {
                      z: {
                        type: 'string',
                      },
                    },
                  },
                  e: {
                    type: 'object',
                    allOf: [
                      {
                        not: {
                          required: ['a'],
                        },
                      },
                    ],
                    oneOf: [{}],
                    externalDocs: {
                      url: 'u',
                    },
                    'x-kubernetes-embedded-resource': true,
                  },
                  i: {
                    anyOf: [
                      {
                        type: 'integer',
                      },
                      {
                        type: 'string',
                      },
                    ],
                    'x-kubernetes-int-or-string': true,
                  },
                  l: {
                    type: 'array',
                    maxItems: 3,
                    minItems: 0,
                    items: {
                      type: 'object',
                      properties: {
                        k: {
                          type: 'string',
                        },
                      },
                    },
                    'x-kubernetes-list-map-keys': ['k'],
                    'x-kubernetes-list-type': 'map',
                  },
                  m: {
                    type: 'object',
                    maxProperties: 3,
                    additionalProperties: {
                      type: 'integer',
                    },
                    'x-kubernetes-map-type': 'granular',
                  },
                  n: {
                    type: 'number',
                    default: 1,
                    maximum: 1.5,
                    exclusiveMaximum: true,
                    minimum: 0,
                    multipleOf: 0.25,
                    enum: [1, 0.5, null],
                  },
                  o: {
                    type: 'object',
                    additionalProperties: true,
                  },
                  s: {
                    type: 'string',
                    format: 'date',
                    maxLength: 0,
                    minLength: 0,
                    pattern: '^a',
                    example: 'x',
                    nullable: true,
                  },
                },
                'x-kubernetes-preserve-unknown-fields': true,
                'x-kubernetes-validations': [
                  {
                    rule: 'true',
                    message: 'm',
                    messageExpression: "'m'",
                    reason: 'FieldValueInvalid',
                    fieldPath: '.a',
                    optionalOldSelf: false,
                  },
                ],
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.r',
            statusReplicasPath: '.status.r',
            labelSelectorPath: '.status.s',
          },
        },
        additionalPrinterColumns: [
          {
            name: 'N',
            type: 'integer',
            format: 'int32',
            description: 'd',
            priority: 1,
            jsonPath: '.spec.n',
          },
        ],
        selectableFields: [
          {
            jsonPath: '.spec.s',
          },
        ],
      },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          service: {
            namespace: 'a',
            name: 'b',
            path: '/c',
            port: 8443,
          },
          caBundle: 'Q0E=',
        },
        conversionReviewVersions: ['v1'],
      },
    },
  },
  status: {
    conditions: [
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        reason: 'r',
        message: 'm',
        observedGeneration: 3,
      },
    ],
    acceptedNames: {
      plural: 'widgets',
      kind: 'Widget',
    },
    storedVersions: ['v1'],
    observedGeneration: 3,
  },
};

it('a definition in protobuf is the same as in JSON', () => {
  expect(decodeProtobuf(Buffer.from(encoded, 'base64'))).toEqual(definition);
});

it('a definition that ends within a field is refused', () => {
  expect(() => decodeProtobuf(Buffer.from(encoded, 'base64').subarray(0, 400))).toThrow('could not be decoded');
});
