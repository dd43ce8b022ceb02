'use strict';
// What the report does when scripts are allowed: without them it is readable all the same.
(function () {
  var root = document.documentElement, data = JSON.parse(document.getElementById('data').textContent);
  var byTrial = new Map(), selected = null, sortBy = -1, descending = false, shown = 100;
  root.classList.add('js');
  data.rows.forEach(function (row) { byTrial.set(String(row[0]), row); });

  function all(query, from) { return Array.from((from || document).querySelectorAll(query)); }
  function make(name, text) {
    var element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // --- light and dark ---
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  document.getElementById('theme').addEventListener('click', function () {
    var now = root.getAttribute('data-theme') || (dark.matches ? 'dark' : 'light');
    root.setAttribute('data-theme', now === 'dark' ? 'light' : 'dark');
  });

  // --- one trial, in every picture ---
  var tip = document.getElementById('tip'), hot = null;
  all('svg [data-t] > title').forEach(function (title) { title.remove(); });
  function cell(row, column) {
    var value = row[column], levels = data.columns[column].levels;
    if (value === null) return '';
    return levels ? levels[value] : String(value);
  }
  function describe(trial) {
    var row = byTrial.get(trial);
    return row ? data.columns.map(function (column, i) { return column.name + ': ' + cell(row, i); })
      .filter(function (line) { return !/: $/.test(line); }).join('\n') : 'trial ' + trial;
  }
  function heat(trial) {
    if (hot === trial) return;
    all('.hot').forEach(function (element) { element.classList.remove('hot'); });
    hot = trial;
    if (trial) all('[data-t="' + trial + '"]').forEach(function (element) { element.classList.add('hot'); });
  }
  document.addEventListener('pointermove', function (event) {
    var element = event.target.closest && event.target.closest('[data-t]'), trial = element && element.getAttribute('data-t');
    heat(trial);
    tip.hidden = !trial || !element.closest('svg');
    if (tip.hidden) return;
    tip.textContent = describe(trial);
    tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
  });
  document.addEventListener('click', function (event) {
    var element = event.target.closest && event.target.closest('svg [data-t]');
    if (!element) return;
    document.getElementById('filter').value = 'trial=' + element.getAttribute('data-t');
    draw();
    document.getElementById('trials').scrollIntoView();
  });

  // --- parallel coordinates: ranges of the axes choose trials, here, in the other pictures, and in the table ---
  var parallel = document.getElementById('plot-parallel'), brushes = new Map();
  var lines = parallel ? all('path[data-t]', parallel).map(function (path) {
    var numbers = path.getAttribute('d').match(/-?[\d.]+/g).map(Number), points = [];
    for (var i = 0; i < numbers.length; i += 2) points.push([numbers[i], numbers[i + 1]]);
    return { path: path, trial: path.getAttribute('data-t'), points: points };
  }) : [];
  function yAt(line, x) {
    return line.points.reduce(function (a, b) { return Math.abs(a[0] - x) < Math.abs(b[0] - x) ? a : b; })[1];
  }
  function choose() {
    selected = null;
    if (brushes.size) {
      selected = new Set();
      lines.forEach(function (line) {
        var keeps = true;
        brushes.forEach(function (brush, x) {
          var y = yAt(line, x);
          keeps = keeps && y >= brush.low && y <= brush.high;
        });
        if (keeps) selected.add(line.trial);
      });
    }
    all('svg [data-t]').forEach(function (element) {
      element.classList.toggle('off', Boolean(selected) && !selected.has(element.getAttribute('data-t')));
    });
    var say = document.getElementById('chosen');
    say.textContent = selected ? selected.size + ' of ' + lines.length + ' drawn trials chosen' : '';
    document.getElementById('unchoose').hidden = !selected;
    draw();
  }
  function local(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(parallel.getScreenCTM().inverse());
  }
  function drag(start) {
    var at = local(start);
    if (!lines.length) return;
    var axis = lines[0].points.reduce(function (a, b) { return Math.abs(a[0] - at.x) < Math.abs(b[0] - at.x) ? a : b; })[0];
    if (Math.abs(axis - at.x) > 14) return;
    start.preventDefault();
    var old = brushes.get(axis);
    if (old) old.box.remove();
    brushes.delete(axis);
    var box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    box.setAttribute('class', 'brush');
    box.setAttribute('x', axis - 7);
    box.setAttribute('width', 14);
    box.setAttribute('y', at.y);
    box.setAttribute('height', 0);
    parallel.appendChild(box);
    function move(event) {
      var to = local(event).y;
      box.setAttribute('y', Math.min(at.y, to));
      box.setAttribute('height', Math.abs(to - at.y));
    }
    function end(event) {
      var to = local(event).y;
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      if (Math.abs(to - at.y) < 3) box.remove();
      else brushes.set(axis, { box: box, low: Math.min(at.y, to), high: Math.max(at.y, to) });
      choose();
    }
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
  }
  if (parallel) {
    parallel.addEventListener('pointerdown', drag);
    document.getElementById('unchoose').addEventListener('click', function () {
      brushes.forEach(function (brush) { brush.box.remove(); });
      brushes.clear();
      choose();
    });
  }

  // --- the table ---
  var table = document.getElementById('table'), filter = document.getElementById('filter');
  function column(name) {
    return data.columns.findIndex(function (column) { return column.name === name; });
  }
  // A word, or NAME=TEXT, NAME<NUMBER, NAME>NUMBER; all of them must hold.
  function test(term) {
    var parts = /^(.+?)(<=|>=|=|<|>)(.*)$/.exec(term), at = parts ? column(parts[1]) : -1, number = parts && Number(parts[3]);
    if (at < 0) return function (row) {
      return row.some(function (value, i) { return value !== null && cell(row, i).toLowerCase().includes(term.toLowerCase()); });
    };
    return function (row) {
      var value = data.columns[at].levels ? cell(row, at) : row[at];
      if (value === null || value === '') return false;
      if (parts[2] === '=') return String(value) === parts[3] || (parts[3] !== '' && Number(value) === number);
      value = Number(value);
      return parts[2] === '<' ? value < number : parts[2] === '>' ? value > number : parts[2] === '<=' ? value <= number : value >= number;
    };
  }
  function compare(a, b) {
    var one = a[sortBy], other = b[sortBy];
    if (one === null || other === null) return (one === null) - (other === null);
    return (one < other ? -1 : one > other ? 1 : a[0] - b[0]) * (descending ? -1 : 1);
  }
  function draw() {
    var tests = filter.value.split(/\s+/).filter(Boolean).map(test);
    var rows = data.rows.filter(function (row) {
      return (!selected || selected.has(String(row[0]))) && tests.every(function (holds) { return holds(row); });
    });
    if (sortBy >= 0) rows.sort(compare);
    var body = make('tbody');
    rows.slice(0, shown).forEach(function (row) {
      var line = make('tr');
      line.setAttribute('data-t', row[0]);
      data.columns.forEach(function (column, i) {
        var field = make('td', cell(row, i));
        if (!column.levels) field.className = 'n';
        line.appendChild(field);
      });
      body.appendChild(line);
    });
    table.tBodies[0].replaceWith(body);
    document.getElementById('count').textContent = rows.length + (rows.length === 1 ? ' trial' : ' trials') +
      (rows.length > shown ? ', ' + shown + ' shown' : '');
    document.getElementById('more').hidden = rows.length <= shown;
    all('th', table).forEach(function (head, i) {
      head.setAttribute('aria-sort', i !== sortBy ? 'none' : descending ? 'descending' : 'ascending');
    });
  }
  all('th', table).forEach(function (head, i) {
    var button = make('button', head.textContent);
    head.textContent = '';
    head.appendChild(button);
    button.addEventListener('click', function () {
      descending = sortBy === i && !descending;
      sortBy = i;
      draw();
    });
  });
  filter.addEventListener('input', draw);
  document.getElementById('more').addEventListener('click', function () { shown += 400; draw(); });
  draw();
})();
