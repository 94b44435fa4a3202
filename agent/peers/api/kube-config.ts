/**
 * The one part of the client library that is needed, in a module that is imported late: bundled like this, it leaves the
 * library's models of every kind of object behind, which are nine tenths of it and take as much time and memory to load.
 */
export { KubeConfig } from '@kubernetes/client-node';
