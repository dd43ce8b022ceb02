# SPDX-License-Identifier: 0BSD
"""A small network on two rings, 9 epochs; the search minimizes val_loss over lr and width."""
import gannet
import gannet_keras
import keras
import numpy

trial = gannet.trial(lr=0.01, width=8)
random = numpy.random.default_rng(1)
points = random.normal(size=(600, 2))
rings = (numpy.hypot(*points.T) > 1.2).astype(int)


def build():
    keras.utils.set_random_seed(trial.seed % 2**32)
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(trial.params.width, "tanh"), keras.layers.Dense(1, "sigmoid")]
    )
    model.compile(keras.optimizers.Adam(trial.params.lr), "binary_crossentropy")
    return model


model = gannet_keras.restored() or build()
model.fit(
    points[:400],
    rings[:400],
    validation_data=(points[400:], rings[400:]),
    initial_epoch=gannet_keras.first_epoch(),
    epochs=9,
    verbose=0,
    callbacks=[gannet_keras.Callback()],
)
