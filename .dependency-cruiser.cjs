/** The architecture as rules: imports go one way, and the deciding code cannot touch the machine. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'config-knows-nobody',
      severity: 'error',
      from: { path: '^config/' },
      to: { path: '^(cgroup|agent|test)/' },
    },
    {
      name: 'cgroup-never-sees-a-pod',
      severity: 'error',
      from: { path: '^cgroup/' },
      to: { path: '^(agent|test)/' },
    },
    {
      name: 'pure-core',
      comment: 'Deciding code has no files, no clock, no logger: what it needs is an argument.',
      severity: 'error',
      from: {
        path: '^(config/|cgroup/|agent/(model|decide|whatif)/)',
        pathNot: '^(config/watch\\.ts|cgroup/disk/)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pure-core-no-shell-libraries',
      severity: 'error',
      from: {
        path: '^(config/|cgroup/|agent/(model|decide|whatif)/)',
        pathNot: '^(config/watch\\.ts|cgroup/disk/)',
      },
      to: { path: 'node_modules/(winston|chokidar|systeminformation|yargs|tar-stream|cli-table3)/' },
    },
    {
      name: 'model-holds-nouns-only',
      severity: 'error',
      from: { path: '^agent/model/' },
      to: { path: '^agent/(decide|whatif|run|observe|peers|act|native|report|capture|cli)/' },
    },
    {
      name: 'deciding-knows-nouns-only',
      severity: 'error',
      from: { path: '^agent/(decide|whatif)/' },
      to: { path: '^agent/(run|observe|peers|act|native|report|capture|cli)/|^agent/ports' },
    },
    {
      name: 'the-loop-knows-ports',
      comment: 'What it looks at and whom it tells are handed to it; limit writes are scheduled by it.',
      severity: 'error',
      from: { path: '^agent/run/' },
      to: {
        path: '^agent/(observe|peers|native|report|capture|fake|cli)/|^cgroup/disk/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-do-not-decide-for-each-other',
      comment: 'Only the command line puts adapters together.',
      severity: 'error',
      from: { path: '^agent/(observe|peers|act|native|report|capture|fake)/' },
      to: { path: '^agent/(cli|run)/' },
    },
    {
      name: 'peers-are-clients',
      comment: 'They ask; what comes of it is done elsewhere.',
      severity: 'error',
      from: { path: '^agent/peers/' },
      to: { path: '^agent/(act|report|capture|fake|native|whatif)/' },
    },
    {
      name: 'looking-asks-nobody',
      comment: 'Peers read their answers as files are read; what looks at a node never asks one.',
      severity: 'error',
      from: { path: '^agent/observe/' },
      to: { path: '^agent/peers/' },
    },
    {
      name: 'clients-of-peers-are-loaded-late',
      comment:
        'A command that asks nobody must not pay for their libraries. The one file that may is itself loaded late.',
      severity: 'error',
      from: { path: '^(config|cgroup|agent)/', pathNot: '^agent/peers/api/kube-config\\.ts$' },
      to: { path: 'node_modules/(@kubernetes|@grpc)/', dependencyTypesNot: ['type-only'], dynamic: false },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'the-product-does-not-know-its-package',
      severity: 'error',
      from: { path: '^(config|cgroup|agent)/' },
      to: { path: '^systemd/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(config|cgroup|agent)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
