import { expect, it } from 'vitest';
import { targetFor, targets } from './routes.ts';

it.each([
  ['GET', '/', 'api'],
  ['GET', '/healthz', 'api'],
  ['GET', '/openapi/v3/apis/cluster.x-k8s.io/v1beta2', 'api'],
  ['GET', '/version', 'api'],
  ['GET', '/api', 'api'],
  ['GET', '/api/v1', 'api'],
  ['GET', '/api/v1/configmaps', 'watch'],
  ['GET', '/api/v1/namespaces', 'watch'],
  ['GET', '/api/v1/namespaces/default', 'api'],
  ['GET', '/api/v1/namespaces/default/secrets', 'api'],
  ['GET', '/api/v1/secrets', 'api'],
  ['GET', '/apis/example.com/v1/namespaces/default/secrets', 'watch'],
  ['GET', '/api/v1/namespaces/default/configmaps', 'watch'],
  ['GET', '/api/v1/namespaces/default/secrets/a', 'api'],
  ['GET', '/api/v1/namespaces/default/secrets/a/status', 'api'],
  ['GET', '/apis', 'api'],
  ['GET', '/apis/cluster.x-k8s.io', 'api'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2', 'api'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2/clusters', 'watch'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2/clusters/', 'watch'],
  ['GET', '/apis/infrastructure.cluster.x-k8s.io/v1beta2/awsclusterstaticidentities/a', 'api'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters', 'watch'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/a', 'api'],
  ['GET', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinesets/a/scale', 'api'],
  ['POST', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters', 'api'],
  ['DELETE', '/api/v1/namespaces/default/secrets', 'api'],
  ['HEAD', '/api/v1/configmaps', undefined],
  ['OPTIONS', '/api/v1/configmaps', undefined],
  ['PUT', '/api/v1/namespaces/default/finalize', 'api'],
  ['GET', '/readyz/store', 'api'],
  ['POST', '/version', undefined],
  ['POST', '/capstan.dev/audit/default/a', 'audit-webhook'],
  ['GET', '/capstan.dev/audit/default/a', undefined],
  ['POST', '/capstan.dev/audit/default/a/b', undefined],
  ['POST', '/capstan.dev/audit/default', undefined],
  ['POST', '/capstan.dev/account', undefined],
])('%s %s is routed to %s', (method, path, name) => expect(targetFor(method, path)?.function).toBe(name));

it('serves without credentials only what every API server does', () =>
  expect(targets.filter(({ isPublic }) => isPublic).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /healthz',
    'GET /livez',
    'GET /readyz',
    'GET /version',
  ]));
